/**
 * How large a picture says it is, before anybody makes room for it: every place of the file that says so is read, since
 * whoever draws it may believe another one than we did. Reads headers only and never past the end.
 */

export interface Size {
  width: number
  height: number
}

export type PictureHeader =
  | {
      state: 'readable'
      /** Every size that the file claims, at least one. */
      sizes: [Size, ...Size[]]
      /** Its end is missing. */
      isCutOff: boolean
    }
  /** More than one frame. */
  | { state: 'moving' }
  /** No size can be read from it, or its parts don't fit together. */
  | { state: 'damaged' }

/** A header of these sizes; without any, a damaged one. */
export function headerOf(sizes: readonly Size[], isCutOff: boolean): PictureHeader {
  const [first, ...others] = sizes
  if (!first || sizes.some(({ width, height }) => width === 0 || height === 0)) return { state: 'damaged' }
  return { state: 'readable', sizes: [first, ...others], isCutOff }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
