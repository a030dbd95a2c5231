/*
 * The one script of the signing pages. Everything works without it by plain forms; with it one can draw a signature, see a
 * typed one as it will look, and not send twice.
 */
// biome-ignore lint/suspicious/noRedundantUseStrict: a page loads it as a script, which is no module.
'use strict'
const form = document.querySelector('form[data-signature]')
for (const each of document.forms) {
  let sent = false
  each.addEventListener('submit', (event) => {
    if (sent) event.preventDefault()
    sent = true
  })
  // Back from the next page, the form is to be sent again.
  addEventListener('pageshow', () => (sent = false))
}
document.querySelector('[data-focus]')?.focus()

if (form) {
  const ways = form.querySelector('[data-ways]')
  const typed = form.querySelector('[data-typed]')
  const drawn = form.querySelector('[data-drawn]')
  const name = form.querySelector('[name=signature-name]')
  const preview = form.querySelector('[data-preview]')
  const drawing = form.querySelector('[name=signature-drawing]')
  const canvas = form.querySelector('canvas')
  const pen = canvas.getContext('2d')
  let strokes = []
  ways.hidden = false
  preview.hidden = false

  const chosen = () => form.querySelector('[name=signature-kind]:checked').value
  const choose = () => {
    typed.hidden = chosen() !== 'typed'
    drawn.hidden = chosen() !== 'drawn'
    if (!drawn.hidden) draw()
  }
  ways.addEventListener('change', choose)
  const show = () => (preview.textContent = name.value || '\u00a0')
  name.addEventListener('input', show)

  function paint(context, colour) {
    context.strokeStyle = colour
    context.fillStyle = colour
    context.lineCap = context.lineJoin = 'round'
    for (const points of strokes) {
      for (let index = 0; index < points.length; index++) {
        const [x, y, press] = points[index]
        const [px, py] = points[index - 1] ?? [x + 0.01, y]
        const speed = Math.hypot(x - px, y - py)
        context.lineWidth = (1.7 + 1.6 * (press || 0.5)) / (1 + speed / 60) + 0.7
        context.beginPath()
        context.moveTo(px, py)
        context.lineTo(x, y)
        context.stroke()
      }
    }
  }
  function draw() {
    const ratio = devicePixelRatio || 1
    canvas.width = canvas.clientWidth * ratio
    canvas.height = canvas.clientHeight * ratio
    pen.setTransform(ratio, 0, 0, ratio, 0, 0)
    paint(pen, getComputedStyle(canvas).color)
  }
  const place = (event) => {
    const box = canvas.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top, event.pressure]
  }
  let under = null
  // What draws: one pointer at a time. Where a pen is used, the hand that rests beside it draws nothing.
  let hand = null
  let hasPen = false
  canvas.addEventListener('pointerdown', (event) => {
    const isPen = event.pointerType === 'pen'
    if (event.pointerType === 'touch' && hasPen) return
    if (under && !(isPen && hand?.type === 'touch')) return
    // The palm came first: its mark goes as soon as the pen is there.
    if (under) strokes.pop()
    if (isPen) hasPen = true
    hand = { id: event.pointerId, type: event.pointerType }
    under = [place(event)]
    strokes.push(under)
    canvas.setPointerCapture(event.pointerId)
    draw()
  })
  canvas.addEventListener('pointermove', (event) => {
    if (!under || event.pointerId !== hand.id) return
    for (const each of event.getCoalescedEvents?.() ?? [event]) under.push(place(each))
    draw()
  })
  for (const end of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(end, (event) => {
      if (event.pointerId === hand?.id) under = hand = null
    })
  }
  form.querySelector('[data-clear]').addEventListener('click', () => {
    strokes = []
    draw()
  })
  addEventListener('resize', () => drawn.hidden || draw())

  form.addEventListener('submit', () => {
    drawing.value = ''
    if (chosen() !== 'drawn' || strokes.length === 0) return
    const paper = document.createElement('canvas')
    const xs = strokes.flat().map((point) => point[0])
    const ys = strokes.flat().map((point) => point[1])
    const left = Math.min(...xs) - 6
    const top = Math.min(...ys) - 6
    paper.width = (Math.max(...xs) - left + 6) * 2
    paper.height = (Math.max(...ys) - top + 6) * 2
    const context = paper.getContext('2d')
    context.scale(2, 2)
    context.translate(-left, -top)
    paint(context, '#14316e')
    drawing.value = paper.toDataURL('image/png')
  })
  choose()
  show()
}
