/**
 * The one script of the signing pages, served as a file of its own. Everything works without it by plain forms; with
 * it one can draw a signature, see a typed one as it will look, and not send twice.
 */
export const SCRIPT = String.raw`'use strict'
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

  function paint(context, width, height, colour) {
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
    paint(pen, canvas.clientWidth, canvas.clientHeight, getComputedStyle(canvas).color)
  }
  const place = (event) => {
    const box = canvas.getBoundingClientRect()
    return [event.clientX - box.left, event.clientY - box.top, event.pressure]
  }
  let under = null
  canvas.addEventListener('pointerdown', (event) => {
    under = [place(event)]
    strokes.push(under)
    canvas.setPointerCapture(event.pointerId)
    draw()
  })
  canvas.addEventListener('pointermove', (event) => {
    if (!under) return
    for (const each of event.getCoalescedEvents?.() ?? [event]) under.push(place(each))
    draw()
  })
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => (under = null))
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
    paint(context, paper.width, paper.height, '#14316e')
    drawing.value = paper.toDataURL('image/png')
  })
  choose()
  show()
}
`

/** The script of the camera part, served as a file of its own to the pages that have one. */
export const CAMERA_SCRIPT = `'use strict'
const part = document.querySelector('[data-camera]')
if (part) {
  const of = (name) => part.querySelector('[data-camera-' + name + ']')
  const [none, live, still, says, refused] = ['none', 'live', 'still', 'says', 'refused'].map(of)
  const [start, take, again] = ['start', 'take', 'again'].map(of)
  const picture = part.querySelector('[name=picture]')
  let stream

  const show = (...wanted) => {
    // A drawing has no property for it, only the attribute.
    for (const each of [none, live, still, start, take, again, refused])
      each.toggleAttribute('hidden', !wanted.includes(each))
  }
  const stop = () => {
    for (const track of stream?.getTracks() ?? []) track.stop()
    stream = undefined
    live.srcObject = null
  }
  const reasons = {
    NotAllowedError: 'The camera is not allowed here.',
    SecurityError: 'The camera is not allowed here.',
    NotFoundError: 'No camera was found.',
    OverconstrainedError: 'No camera was found.',
    NotReadableError: 'The camera is used by another program.',
    AbortError: 'The camera stopped.'
  }
  const refuse = (error) => {
    stop()
    says.textContent = reasons[error?.name] ?? 'There is no camera that can be used here.'
    start.textContent = 'Try the camera again'
    show(none, start, refused)
  }
  async function begin() {
    picture.value = ''
    show(none)
    says.textContent = 'Waiting for the camera …'
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'user', width: 640, height: 480 } })
      stream.getVideoTracks()[0].addEventListener('ended', () => stream && refuse({ name: 'AbortError' }))
      live.srcObject = stream
      await live.play()
      says.textContent = 'Look into the camera.'
      show(live, take)
      take.focus()
    } catch (error) {
      refuse(error)
    }
  }
  function taken() {
    const canvas = document.createElement('canvas')
    const scale = Math.min(1, 640 / live.videoWidth)
    canvas.width = Math.round(live.videoWidth * scale)
    canvas.height = Math.round(live.videoHeight * scale)
    canvas.getContext('2d').drawImage(live, 0, 0, canvas.width, canvas.height)
    picture.value = still.src = canvas.toDataURL('image/jpeg', 0.8)
    // The camera's light goes out as soon as it is not needed.
    stop()
    says.textContent = 'The picture is taken.'
    show(still, again)
  }
  start.addEventListener('click', begin)
  again.addEventListener('click', begin)
  take.addEventListener('click', taken)
  addEventListener('pagehide', stop)
  if (navigator.mediaDevices?.getUserMedia) show(none, start)
  else refuse()
}
`
