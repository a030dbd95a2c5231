/** Valid one-pixel pictures of each kind that can be a logo, and functions that alter them. */

const of = (base64: string) => Buffer.from(base64, 'base64')

export const PNG = of(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
)
/** Its 64-byte table is 0xFF throughout, as if each byte began a segment. */
export const JPEG = of(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA='
)
export const WEBP_LOSSY = of('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA')
export const WEBP_LOSSLESS = of('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==')
export const WEBP_ALPHA = of(
  'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA=='
)

/** Returns a PNG that claims this size. */
export function png(width: number, height: number): Buffer {
  const file = Buffer.from(PNG)
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(height, 20)
  return file
}

export function jpeg(width: number, height: number): Buffer {
  const file = Buffer.from(JPEG)
  const frame = file.indexOf(Buffer.from([0xff, 0xc2]))
  file.writeUInt16BE(height, frame + 5)
  file.writeUInt16BE(width, frame + 7)
  return file
}

export function webpLossy(width: number, height: number): Buffer {
  const file = Buffer.from(WEBP_LOSSY)
  file.writeUInt16LE(width, 26)
  file.writeUInt16LE(height, 28)
  return file
}

export function webpLossless(width: number, height: number): Buffer {
  const file = Buffer.from(WEBP_LOSSLESS)
  file.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21)
  return file
}

export function webpAlpha(width: number, height: number): Buffer {
  const file = Buffer.from(WEBP_ALPHA)
  file.writeUIntLE(width - 1, 24, 3)
  file.writeUIntLE(height - 1, 27, 3)
  return file
}
