// Electron's nativeImage, limited to pictures that are passed on: read and measured, never drawn. PNG only.
import { readFileSync } from 'node:fs'
import type * as Electron from 'electron'
import { acceptOnly, Emulated, notEmulated, strictly } from './strict.ts'

type Offered = Pick<Electron.NativeImage, 'isEmpty' | 'getSize' | 'setTemplateImage' | 'isTemplateImage'>

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export class NativeImage extends Emulated implements Offered {
  readonly #size: Electron.Size
  #isTemplate: boolean

  constructor(size: Electron.Size, isTemplate = false) {
    super('NativeImage', { emits: [] })
    this.#size = size
    this.#isTemplate = isTemplate
  }

  isEmpty(): boolean {
    return this.#size.width === 0
  }

  getSize(scaleFactor?: number): Electron.Size {
    if (scaleFactor !== undefined && scaleFactor !== 1) notEmulated('NativeImage.getSize of a scale factor')
    return { ...this.#size }
  }

  setTemplateImage(option: boolean): void {
    this.#isTemplate = option
  }

  isTemplateImage(): boolean {
    return this.#isTemplate
  }
}

/** Returns the image; as in Electron, an empty one if the bytes aren't a picture. */
function imageFrom(bytes: Buffer | undefined, isTemplate = false): NativeImage {
  const isPng = bytes !== undefined && bytes.length >= 24 && bytes.subarray(0, 8).equals(SIGNATURE)
  if (!isPng) return new NativeImage({ width: 0, height: 0 })
  return new NativeImage({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }, isTemplate)
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

export const nativeImage = strictly('nativeImage', {
  createEmpty: (): NativeImage => imageFrom(undefined),
  createFromPath: (path: string): NativeImage =>
    // On macOS the end of the file name makes a picture a template.
    imageFrom(read(path), process.platform === 'darwin' && /Template(@[\d.]+x)?\.png$/.test(path)),
  createFromBuffer(buffer: Buffer, options: Electron.CreateFromBufferOptions = {}): NativeImage {
    acceptOnly('nativeImage.createFromBuffer', options, [])
    return imageFrom(buffer)
  }
})
