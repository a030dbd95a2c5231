/** The page that shows an operation's answer to a person: what a caller gets that doesn't ask for JSON. */
import { html } from './html.ts'

export function answerPage(title: string, value: unknown, status: number): string {
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
