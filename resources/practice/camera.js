/* The script of the camera part, for the pages that have one. */
// biome-ignore lint/suspicious/noRedundantUseStrict: a page loads it as a script, which is no module.
'use strict'
const part = document.querySelector('[data-camera]')
if (part) {
  const of = (name) => part.querySelector(`[data-camera-${name}]`)
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
    NotAllowedError: 'The camera isn’t allowed here.',
    SecurityError: 'The camera isn’t allowed here.',
    NotFoundError: 'No camera was found.',
    OverconstrainedError: 'No camera was found.',
    NotReadableError: 'Another program is using the camera.',
    AbortError: 'The camera stopped.'
  }
  const refuse = (error) => {
    stop()
    says.textContent = reasons[error?.name] ?? 'No camera can be used here.'
    start.textContent = 'Try the camera again'
    show(none, start, refused)
  }
  async function begin() {
    picture.value = ''
    show(none)
    says.textContent = 'Waiting for the camera…'
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
    says.textContent = 'Picture taken.'
    show(still, again)
  }
  start.addEventListener('click', begin)
  again.addEventListener('click', begin)
  take.addEventListener('click', taken)
  addEventListener('pagehide', stop)
  if (navigator.mediaDevices?.getUserMedia) show(none, start)
  else refuse()
}
