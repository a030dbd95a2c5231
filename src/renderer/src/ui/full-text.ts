/**
 * Shows text that is cut off at the end of its line, or of two, in full while the pointer is on it. Whatever has a
 * `title` of its own, which may say more, keeps it.
 */
export function showFullText(page: Document): void {
  const titled = new WeakSet<Element>()
  page.addEventListener('pointerover', ({ target }) => {
    const text = target instanceof Element ? target.closest<HTMLElement>('.ellipsis,.two-lines') : null
    if (!text || (!titled.has(text) && text.closest('[title]'))) return
    titled.add(text)
    const isCut = text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight
    if (isCut) text.title = text.textContent.trim()
    else text.removeAttribute('title')
  })
}
