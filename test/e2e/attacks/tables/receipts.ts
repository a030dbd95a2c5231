/**
 * What a name, a document's title or a file's name would try in a receipt, and what someone would with a receipt's
 * file.
 */
import assert from 'node:assert/strict'
import type { Area, Attack } from '../attack.ts'
import type { Scene } from '../scene.ts'

/** A receipt of one person and one document, as it is drawn whatever they are called. */
const AS_TEXT = { links: 0, rows: 2, unseen: 0 }

/** A text that would be markup. */
const text = (name: string, script: string): Attack => ({ name, script, answers: AS_TEXT })

/** A receipt's file that was changed must never be found genuine. */
const file = (name: string, change: (receipt: Buffer) => Buffer): Attack => ({
  name,
  guard: ['seal'],
  play: async (scene: Scene) => {
    const receipt = Buffer.from(String(await scene.say({ do: 'seal-receipt' })), 'base64')
    const verdict = (of: Buffer) => scene.say({ do: 'judge-receipt', file: of.toString('base64') })
    assert.equal(await verdict(receipt), 'genuine')
    assert.notEqual(await verdict(change(receipt)), 'genuine')
  }
})

/** Rewrites the comment behind a receipt's end with another statement. */
function resaid(receipt: Buffer, change: (statement: string) => string): Buffer {
  const from = receipt.lastIndexOf('%countersign-receipt ') + '%countersign-receipt '.length
  const until = receipt.indexOf('\n', from)
  const signed = JSON.parse(Buffer.from(receipt.subarray(from, until).toString('latin1'), 'base64').toString('utf8'))
  const other = JSON.stringify({ ...signed, statement: change(signed.statement) })
  return Buffer.concat([
    receipt.subarray(0, from),
    Buffer.from(Buffer.from(other, 'utf8').toString('base64'), 'latin1'),
    receipt.subarray(until)
  ])
}

/** Returns a copy with one bit of this byte flipped. */
function turned(receipt: Buffer, at: number): Buffer {
  const other = Buffer.from(receipt)
  other[at] = (other[at] ?? 0) ^ 1
  return other
}

export const receipts: Area = {
  title: 'Receipts',
  about:
    'A receipt is drawn from names that a service, a sheet or a person gave, and it leaves the office. The text of each row stands in each place of a receipt that says something of others: number, office, staff, zone, person, document, file, what was seen of them. The last rows change a receipt’s file.',
  by: 'text of others',
  guard: ['receipt', 'paper'],
  attacks: [
    text('run a script', '<script>fetch("http://{elsewhere}/", { mode: "no-cors" })</script>'),
    text('run a script from an attribute', '<img src="x" onerror="new Image().src = \'http://{elsewhere}/\'">'),
    text('load a picture from elsewhere', '<img src="http://{elsewhere}/">'),
    text(
      'load a picture from elsewhere in another picture',
      '<svg><image href="http://{elsewhere}/" width="9" height="9"/></svg>'
    ),
    text('load a style from elsewhere', '<link rel="stylesheet" href="http://{elsewhere}/">'),
    text('load a style from elsewhere by a style', '<style>@import url("http://{elsewhere}/");</style>'),
    text('say by a background what it knows', '<p style="background: url(http://{elsewhere}/)">x</p>'),
    text('paint with its number', '"; } } body { background: url(http://{elsewhere}/) } x { content: "'),
    text('end the style by its number', '</style><img src="http://{elsewhere}/">'),
    text('leave for elsewhere', '<meta http-equiv="refresh" content="0;url=http://{elsewhere}/">'),
    text('embed a page of elsewhere', '<iframe src="http://{elsewhere}/"></iframe>'),
    text('embed a page of elsewhere as an object', '<object data="http://{elsewhere}/"></object>'),
    text(
      'embed a page of elsewhere in a page of its own',
      '<iframe srcdoc="<img src=\'http://{elsewhere}/\'>"></iframe>'
    ),
    text('play a film of elsewhere', '<video src="http://{elsewhere}/" autoplay></video>'),
    text(
      'have a font of elsewhere',
      '<style>@font-face { font-family: F; src: url(http://{elsewhere}/) } * { font-family: F !important }</style>x'
    ),
    {
      ...text('put in a link that someone presses', '<a href="http://{elsewhere}/">Check this receipt</a>'),
      guard: ['receipt']
    },
    {
      ...text(
        'add a document that nobody signed',
        '</p></td></tr><tr><td>Deed</td><td></td><td><p class="ok">Signed</p></td></tr>'
      ),
      guard: ['receipt']
    },
    { ...text('turn the line around that it stands in', 'Signed\u202edenilced\u2066'), guard: ['receipt'] },
    { ...text('break the line that it stands in', 'Mere\u0007\u0085\u001bTamati'), guard: ['receipt'] },
    file('change a byte of what is drawn', (receipt) => turned(receipt, 2000)),
    file('change the last byte before its end', (receipt) =>
      turned(receipt, receipt.lastIndexOf('\n%countersign-receipt') - 1)
    ),
    file('leave out a piece of it', (receipt) => Buffer.concat([receipt.subarray(0, 1000), receipt.subarray(1001)])),
    file('put a page before it', (receipt) => Buffer.concat([Buffer.from('%PDF-1.7\n'), receipt])),
    file('add a page behind its end', (receipt) =>
      Buffer.concat([receipt, Buffer.from(`9 0 obj\n<< /Type /Page >>\nendobj\n${'%\n'.repeat(400)}%%EOF\n`)])
    ),
    file('add a line behind its end', (receipt) => Buffer.concat([receipt, Buffer.from('\n')])),
    file('say something else under the same signature', (receipt) =>
      resaid(receipt, (statement) => statement.replace('declined', 'signed'))
    )
  ]
}
