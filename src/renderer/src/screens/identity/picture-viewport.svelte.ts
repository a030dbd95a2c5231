/** The view of one picture: zoom, rotation, and the visible part. */

const MAX_ZOOM = 8
/** The factor of one wheel step or keypress. */
const ZOOM_STEP = 1.25
const PAN_STEP = 40

export interface Box {
  width: number
  height: number
}

export class PictureViewport {
  #zoom = $state(1)
  /** Quarter turns to the right. The number isn't wrapped, so that a transition never takes the long way round. */
  #quarterTurns = $state(0)
  #x = $state(0)
  #y = $state(0)

  /** 1 fits the whole picture in the frame. */
  get zoom() {
    return this.#zoom
  }
  get degrees() {
    return this.#quarterTurns * 90
  }
  get isUntouched() {
    return this.#zoom === 1 && this.#quarterTurns % 4 === 0
  }

  zoomIn(): void {
    this.#zoomTo(this.#zoom * ZOOM_STEP)
  }
  zoomOut(): void {
    this.#zoomTo(this.#zoom / ZOOM_STEP)
  }
  turn(quarters: 1 | -1): void {
    this.#quarterTurns += quarters
    this.#x = 0
    this.#y = 0
  }
  reset(): void {
    this.#zoom = 1
    this.#quarterTurns = 0
    this.#x = 0
    this.#y = 0
  }

  /** Pans by CSS pixels, at most to the picture's edge. */
  pan(x: number, y: number, picture: Box, frame: Box): void {
    const shown = this.#shown(picture, frame)
    this.#x = clamp(this.#x + x, (shown.width - frame.width) / 2)
    this.#y = clamp(this.#y + y, (shown.height - frame.height) / 2)
  }

  /** Handles a key. Returns whether it has a function here. */
  handleKey(key: string, picture: Box, frame: Box): boolean {
    const moves: Record<string, readonly [number, number]> = {
      ArrowLeft: [PAN_STEP, 0],
      ArrowRight: [-PAN_STEP, 0],
      ArrowUp: [0, PAN_STEP],
      ArrowDown: [0, -PAN_STEP]
    }
    const move = moves[key]
    if (move) {
      // If the whole picture is visible, the arrow keys scroll the page.
      if (this.#zoom === 1) return false
      this.pan(...move, picture, frame)
    } else if (key === '+' || key === '=') this.zoomIn()
    else if (key === '-') this.zoomOut()
    else if (key === '0') this.reset()
    else if (key === 'r') this.turn(1)
    else if (key === 'R') this.turn(-1)
    else return false
    return true
  }

  /** Returns the `transform` for a picture that fills its frame with `object-fit: contain`. */
  transform(picture: Box, frame: Box): string {
    const scale = this.#zoom * this.#fit(picture, frame)
    return `translate(${this.#x}px, ${this.#y}px) rotate(${this.degrees}deg) scale(${scale})`
  }

  #zoomTo(zoom: number): void {
    const next = Math.min(MAX_ZOOM, Math.max(1, zoom))
    // Keeps the same point in the middle.
    this.#x *= next / this.#zoom
    this.#y *= next / this.#zoom
    // Avoids rounding errors, so that stepping up and down ends at exactly 1.
    this.#zoom = Math.abs(next - 1) < 0.01 ? 1 : next
    if (this.#zoom === 1) {
      this.#x = 0
      this.#y = 0
    }
  }

  /** Returns the scale at which a sideways picture fits its frame. */
  #fit(picture: Box, frame: Box): number {
    if (this.#quarterTurns % 2 === 0 || frame.width === 0 || frame.height === 0) return 1
    const upright = fitInto(picture, frame)
    const across = fitInto({ width: picture.height, height: picture.width }, frame)
    return across.height / upright.width
  }

  #shown(picture: Box, frame: Box): Box {
    const isSideways = this.#quarterTurns % 2 !== 0
    const size = fitInto(isSideways ? { width: picture.height, height: picture.width } : picture, frame)
    return { width: size.width * this.#zoom, height: size.height * this.#zoom }
  }
}

function fitInto({ width, height }: Box, frame: Box): Box {
  const scale = Math.min(frame.width / width, frame.height / height)
  return { width: width * scale, height: height * scale }
}

function clamp(value: number, max: number): number {
  const limit = Math.max(0, max)
  return Math.min(limit, Math.max(-limit, value))
}
