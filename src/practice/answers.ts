/** Writes answers in the form that was asked for. Long lists go out piece by piece, so that nobody waits behind them. */
import type { Format } from './conventions.ts'
import { html } from './pages/html.ts'

/** Items that are written in one go; some hundred take a few milliseconds. */
const PIECE = 250

/** An answer of one value. */
export function answer(value: unknown, format: Format, title: string, status = 200): Response {
  const headers = headersOf(format)
  if (format.kind === 'page') return new Response(answerPage(title, value, status), { status, headers })
  return new Response(wrapped(JSON.stringify(value), format), { status, headers })
}

/** An answer of a list whose items are made as they are written. */
export function answerList<Item>(
  items: Item[],
  write: (item: Item) => unknown,
  format: Format,
  title: string
): Response {
  if (format.kind === 'page') return answer(items.slice(0, 50).map(write), format, title)
  if (items.length <= PIECE) return answer(items.map(write), format, title)
  const encoder = new TextEncoder()
  let next = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const first = next === 0
      const piece = items.slice(next, next + PIECE).map((item) => JSON.stringify(write(item)))
      next += PIECE
      const done = next >= items.length
      const opening = first ? `${format.kind === 'jsonp' ? `${format.callback}(` : ''}[` : ','
      const closing = done ? `]${format.kind === 'jsonp' ? ')' : ''}` : ''
      const text = opening + piece.join(',') + closing
      controller.enqueue(encoder.encode(format.kind === 'jsonp' ? safeInScript(text) : text))
      if (done) controller.close()
      // Lets other requests have their turn between two pieces.
      else await new Promise((resolve) => setTimeout(resolve, 0))
    }
  })
  return new Response(body, { headers: headersOf(format) })
}

function wrapped(json: string, format: Format): string {
  return format.kind === 'jsonp' ? `${format.callback}(${safeInScript(json)})` : json
}

/** Two characters that JSON allows in texts and that once ended a line of script. */
function safeInScript(json: string): string {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

function headersOf(format: Format): Record<string, string> {
  const types = { json: 'application/json', jsonp: 'text/javascript', page: 'text/html' }
  return {
    'Content-Type': `${types[format.kind]}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept',
    ...(format.kind === 'page' ? { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" } : {})
  }
}

/** The page that shows an operation's answer to a person: what a caller gets that doesn't ask for JSON. */
function answerPage(title: string, value: unknown, status: number): string {
  const shown = JSON.stringify(value, undefined, 2) ?? ''
  return `<!doctype html>${html`<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8886; border-radius: 8px; padding: 1rem }
</style>
</head>
<body>
<h1>${title}</h1>
<p>${status === 200 ? 'What the practice service answers' : `Refused with status ${status}`}, as a page.
For JSON, ask with <code>Accept: application/json</code>, <code>.json</code> at the end of the path, or <code>?format=json</code>.</p>
<pre>${shown}</pre>
</body>
</html>`}`
}
