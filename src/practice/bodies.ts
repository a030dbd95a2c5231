/** Reads the bodies of requests: JSON of a bounded length, or a refusal that names what is wrong. */
import { type FieldProblem, invalid, Refusal } from './faults.ts'
import type { Reader } from './reading.ts'

const LONGEST_BODY = 32 * 1024 * 1024

/** Reads a body of JSON, of bounded length; what can't be read is refused with the places at fault. */
export async function readBody<Value>(request: Request, reader: Reader<Value>): Promise<Value> {
  const type = request.headers.get('content-type') ?? ''
  // Other types are what a page of a stranger can post without asking.
  if (!/^[\w.+-]+\/([\w.-]+\+)?json\b/i.test(type)) {
    throw new Refusal(415, 'UnsupportedMediaType', 'The body must be JSON, with Content-Type: application/json.')
  }
  const text = await readText(request)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Refusal(400, 'SerializationException', 'The body could not be read as JSON.')
  }
  const problems: FieldProblem[] = []
  const value = reader(json, '', problems)
  if (value === undefined || problems.length > 0) throw invalid(problems)
  return value
}

async function readText(request: Request): Promise<string> {
  const tooLarge = () => new Refusal(413, 'RequestTooLarge', 'The request is larger than the service takes.')
  if (Number(request.headers.get('content-length') ?? 0) > LONGEST_BODY) throw tooLarge()
  const decoder = new TextDecoder()
  let length = 0
  let text = ''
  for await (const piece of request.body ?? []) {
    length += piece.byteLength
    if (length > LONGEST_BODY) throw tooLarge()
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}
