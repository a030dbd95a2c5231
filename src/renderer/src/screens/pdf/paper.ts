/** Sheets to print: placed outside the application, so that only they are printed. */
import './paper.css'

/** Moves an element there. */
export function moveToBody(element: HTMLElement): () => void {
  document.body.append(element)
  return () => element.remove()
}
