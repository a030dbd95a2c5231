/** The attack tables as a document that a security reviewer can read. */
import type { Attack } from './attack.ts'
import { type Guard, type GuardWords, guards } from './guards.ts'
import { numbered } from './numbered.ts'

const INTRODUCTION = `# What is tried against the counter

<!-- Made from the tables by \`node test/e2e/attacks/write-document.ts\`. Change test/e2e/attacks/tables, not this. -->

A person signs on a page of the signing service, shown in our window. That page is treated as hostile: the service may
be compromised, or a link in an e-mail may lead elsewhere. Each row of this document is one thing that such a page, the link to
it, foreign script in our own page, a text of others in a receipt, a file of appointments, or a link or file from outside tries against the person, the next
person, the office’s network or the application. The last areas are about what is kept: backups, what a start finds in the data folder, the
organisation’s policy, and the office’s own network.

**How it is tested.** Each row is a test with the row’s number in its name. It runs against the real boundary
(\`src/main/shell\`, \`src/main/core/policy\`, the real preload) in a real browser, with a real attacking server and a
second server that must never get a request; both are there a second time, encrypted, and every line and datagram to that second
one counts. After every row the test also checks that the page and our own page are
still where they were; there are no more pages than before; nothing was saved; the second server got no
request, the service got none under another name, and no request of the application was made; our window has its title
and isn’t full screen, and the page lies exactly where we put it. Rows that leave nothing behind run one after another in one turn, each
in its own document, and each checks that the page still works afterwards; all others have a turn to themselves. Areas that need no browser
name the file of unit tests that has a test for each of their rows.

**How to run it.** \`npm run build && npm run test:e2e -- e2e/attacks\`; one area by \`-g " 9\\. "\`, one row by \`-g " 9.14 "\`. \`npm test\`
plays the first row of each area, and one against each of its protections; the workflow plays them all for each change. On a
machine without Electron’s runtime the tests run on Chromium through \`test/host\`; \`npm run test:electron\` runs the same
rows on Electron.

**How it is known that the protection is what holds.** \`npm run test:mutants\` builds the application without each of them in turn and
plays the rows that name it: a row must fall once all that it names is gone, and each protection must be missed by a row when it alone is
gone. What only the browser holds, or on Chromium can’t be taken away, says \`browser\`.

**How it ends.** _Refused_: it doesn’t happen. Any words after it are what staff read. _Contained_: a page can’t be stopped from doing it,
or needn’t be; the row says why it gains nothing.

**What is not promised.** If a document asks for a video confirmation or an identity check, its page may call other computers
by WebRTC (over TCP alone), and our request guard doesn’t see that; any other page can’t call. A window is no kiosk: see [security.md](security.md).
`

/** Returns all of `docs/attacks.md`. */
export function attackDocument(): string {
  const total = numbered.reduce((sum, { rows }) => sum + rows.length, 0)
  return [INTRODUCTION, areasOf(total), guardsTable(), ...numbered.map(chapter)].join('\n')
}

function areasOf(total: number): string {
  const lines = numbered.map(({ number, area, rows }) => `| ${number} | ${area.title} | ${area.by} | ${rows.length} |`)
  return table(['', 'area', 'who tries', 'rows'], [...lines, `| | all | | ${total} |`])
}

function guardsTable(): string {
  const lines = (Object.entries(guards) as [Guard, GuardWords][]).map(
    ([name, { does, files }]) => `| ${name} | ${does} | ${files.map((file) => `\`${file}\``).join('<br>')} |`
  )
  return `## Protections\n\n${table(['name', 'what it does', 'where'], lines)}`
}

function chapter({ number, area, rows }: (typeof numbered)[number]): string {
  const lines = rows.map(({ number, attack }) => {
    const guard = (attack.guard ?? area.guard).join(', ')
    return `| ${number} | ${cell(attack.name)} | ${guard} | ${cell(endOf(attack))} |`
  })
  const held = area.unit ? `\n\nTested by \`${area.unit}\`.` : ''
  return `## ${number}. ${area.title}\n\n${area.about}${held}\n\n${table(['', 'it tries to', 'protection', 'how it ends'], lines)}`
}

function endOf({ contained, message, turnIs, mayEndItself }: Attack): string {
  if (contained) return `Contained. ${contained}`
  const words = message ? `; staff read “…${message}…”` : ''
  if (turnIs === 'failed') return `Refused${words}; the turn fails and offers a way on.`
  if (mayEndItself) return `Refused${words}; it may cost the page its turn.`
  return `Refused${words}.`
}

function table(head: string[], lines: string[]): string {
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...lines, ''].join('\n')
}

/** Returns text that makes a table cell, whatever it contains. */
function cell(text: string): string {
  return text.replaceAll('\u00ad', '(soft hyphen)').replaceAll('|', '\\|').replaceAll('\n', ' ')
}
