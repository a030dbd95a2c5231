/** Reads a signing page's posted form besides its fields: signature, agreement, file. */
import type { Call } from '../deps.ts'
import { log } from '../life.ts'
import type { DocumentRecord, Signature, SignerRecord } from '../state.ts'
import type { Mistake } from './controls.ts'

const MAX_DRAWING_LENGTH = 400_000
const MAX_FORM_BYTES = 24 * 1024 * 1024

export async function readForm(call: Call): Promise<Record<string, unknown>> {
  if (Number(call.req.header('content-length') ?? 0) > MAX_FORM_BYTES) return {}
  return call.req.parseBody()
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Reads the signature; adds what is missing to the mistakes. */
export function readSignature(form: Record<string, unknown>, mistakes: Mistake[]): Signature | undefined {
  const signature = asText(form['signature-kind']) === 'drawn' ? drawnSignature(form) : typedSignature(form)
  if (!signature) mistakes.push({ id: 'signature-name', message: 'Type or draw your signature.' })
  if (asText(form.agree) !== 'true') mistakes.push({ id: 'agree', message: 'Tick the box to say that you agree.' })
  return signature
}

function typedSignature(form: Record<string, unknown>): Signature | undefined {
  const name = asText(form['signature-name']).trim().slice(0, 200)
  return name ? { kind: 'typed', text: name } : undefined
}

function drawnSignature(form: Record<string, unknown>): Signature | undefined {
  const image = asText(form['signature-drawing'])
  if (image.length > MAX_DRAWING_LENGTH || !/^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/.test(image))
    return undefined
  return { kind: 'drawn', image }
}

/** Records that a file was added, with its name; its content isn't stored. */
export function recordFile(document: DocumentRecord, signer: SignerRecord, file: unknown, at: number): void {
  if (!(file instanceof File) || file.size === 0) return
  document.files.push({ name: file.name.slice(0, 200), size: file.size, by: signer.SignerReference, at })
  log(document, at, signer, `Added the file ${file.name.slice(0, 200)}`)
}
