/** Reads a QR code of version 4 (33 by 33), error correction M, in capitals and digits: the kind that receipts have. */
const SIZE = 33
const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'
/** Two interleaved blocks hold the data; error correction follows. */
const BLOCKS = 2
const DATA_BYTES = 64
/** What format bits are masked with: the two for the error correction, and the three for the mask. */
const FORMAT_MASK = { level: 0b10, mask: 0b101 }

const MASKS: ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_x, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2
]

/** Whether a module belongs to the patterns that every code of this size has. */
function isPattern(x: number, y: number): boolean {
  const isFinder = (x < 9 && y < 9) || (x >= SIZE - 8 && y < 9) || (x < 9 && y >= SIZE - 8)
  return isFinder || x === 6 || y === 6 || (Math.abs(x - 26) <= 2 && Math.abs(y - 26) <= 2)
}

const numberOf = (bits: readonly boolean[]) => bits.reduce((number, bit) => number * 2 + Number(bit), 0)

/** @param path the dark modules, each as `Mx yh1v1h-1z`. */
export function readQrCode(path: string): string {
  const dark = new Set(Array.from(path.matchAll(/M(\d+) (\d+)h1v1h-1z/g), ([, x, y]) => `${x} ${y}`))
  const isDark = (x: number, y: number) => dark.has(`${x} ${y}`)
  const format = numberOf([0, 1, 2, 3, 4].map((x) => isDark(x, 8)))
  const level = (format >> 3) ^ FORMAT_MASK.level
  const mask = MASKS[(format & 0b111) ^ FORMAT_MASK.mask]
  if (level !== 0 || !mask) throw new Error('This isn’t a code with error correction M.')

  const bits: boolean[] = []
  for (let right = SIZE - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    const isUpward = ((right + 1) & 2) === 0
    for (let step = 0; step < SIZE; step++)
      for (const x of [right, right - 1]) {
        const y = isUpward ? SIZE - 1 - step : step
        if (!isPattern(x, y)) bits.push(isDark(x, y) !== (mask(x, y) === 0))
      }
  }
  const byteAt = (index: number) => bits.slice(index * 8, index * 8 + 8)
  const order = Array.from({ length: BLOCKS }, (_, block) =>
    Array.from({ length: DATA_BYTES / BLOCKS }, (_one, index) => index * BLOCKS + block)
  ).flat()
  const data = order.flatMap(byteAt)
  let at = 0
  function take(count: number): number {
    at += count
    return numberOf(data.slice(at - count, at))
  }
  if (take(4) !== 0b0010) throw new Error('This isn’t a code of capitals and digits.')
  const length = take(9)
  let text = ''
  while (text.length < length) {
    const isPair = length - text.length > 1
    const value = take(isPair ? 11 : 6)
    if (isPair) text += CHARACTERS[Math.floor(value / 45)]
    text += CHARACTERS[value % 45]
  }
  return text
}
