/** How one picture is looked at: how large, turned how far, and which part of it is in the frame. */

const CLOSEST = 8
/** One step of the wheel, or of a key. */
const STEP = 1.25
const MOVE = 40

export interface Box {
  width: number
  height: number
}

export class PictureLook {
  #zoom = $state(1)
  /** Quarter turns to the right, growing: a turn never goes the long way round. */
  #turns = $state(0)
  #x = $state(0)
  #y = $state(0)

  /** 1 is as large as the frame takes it whole. */
  get zoom() {
    return this.#zoom
  }
  get degrees() {
    return this.#turns * 90
  }
  get isUntouched() {
    return this.#zoom === 1 && this.#turns % 4 === 0
  }

  zoomIn(): void {
    this.#to(this.#zoom * STEP)
  }
  zoomOut(): void {
    this.#to(this.#zoom / STEP)
  }
  turn(quarters: 1 | -1): void {
    this.#turns += quarters
    this.#x = 0
    this.#y = 0
  }
  reset(): void {
    this.#zoom = 1
    this.#turns = 0
    this.#x = 0
    this.#y = 0
  }

  /** Moves the picture within its frame, by CSS pixels, never farther than its edge. */
  move(x: number, y: number, picture: Box, frame: Box): void {
    const shown = this.#shown(picture, frame)
    this.#x = within(this.#x + x, (shown.width - frame.width) / 2)
    this.#y = within(this.#y + y, (shown.height - frame.height) / 2)
  }

  /** Answers whether the key means something here. */
  key(key: string, picture: Box, frame: Box): boolean {
    const moves: Record<string, readonly [number, number]> = {
      ArrowLeft: [MOVE, 0],
      ArrowRight: [-MOVE, 0],
      ArrowUp: [0, MOVE],
      ArrowDown: [0, -MOVE]
    }
    const move = moves[key]
    if (move) {
      // A picture that is in the frame as a whole leaves the arrows to the page.
      if (this.#zoom === 1) return false
      this.move(...move, picture, frame)
    } else if (key === '+' || key === '=') this.zoomIn()
    else if (key === '-') this.zoomOut()
    else if (key === '0') this.reset()
    else if (key === 'r') this.turn(1)
    else if (key === 'R') this.turn(-1)
    else return false
    return true
  }

  /** For `transform` of a picture that fills its frame with `object-fit: contain`. */
  transform(picture: Box, frame: Box): string {
    const scale = this.#zoom * this.#fit(picture, frame)
    return `translate(${this.#x}px, ${this.#y}px) rotate(${this.degrees}deg) scale(${scale})`
  }

  #to(zoom: number): void {
    const next = Math.min(CLOSEST, Math.max(1, zoom))
    // The same point stays in the middle.
    this.#x *= next / this.#zoom
    this.#y *= next / this.#zoom
    // Steps up and down again end where they began.
    this.#zoom = Math.abs(next - 1) < 0.01 ? 1 : next
    if (this.#zoom === 1) {
      this.#x = 0
      this.#y = 0
    }
  }

  /** What a picture on its side must be scaled by to be in the frame as a whole. */
  #fit(picture: Box, frame: Box): number {
    if (this.#turns % 2 === 0 || frame.width === 0 || frame.height === 0) return 1
    const upright = contained(picture, frame)
    const across = contained({ width: picture.height, height: picture.width }, frame)
    return across.height / upright.width
  }

  #shown(picture: Box, frame: Box): Box {
    const lies = this.#turns % 2 !== 0
    const size = contained(lies ? { width: picture.height, height: picture.width } : picture, frame)
    return { width: size.width * this.#zoom, height: size.height * this.#zoom }
  }
}

function contained({ width, height }: Box, frame: Box): Box {
  const scale = Math.min(frame.width / width, frame.height / height)
  return { width: width * scale, height: height * scale }
}

function within(value: number, most: number): number {
  const limit = Math.max(0, most)
  return Math.min(limit, Math.max(-limit, value))
}
