import { execFile, execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { forgetAnchor } from '../../../src/main/core/audit/anchor.ts'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { contentOf } from '../../../src/main/core/receipts/content.ts'
import { qrCodeOf, receiptPage } from '../../../src/main/core/receipts/receipt-page.ts'
import { type ReceiptSentence, TRANSLATIONS } from '../../../src/main/core/receipts/receipt-translations.ts'
import { readerOf } from '../../../src/main/core/receipts/receipt-words.ts'
import { openMeta } from '../../../src/main/core/storage/meta.ts'
import { fileCheckWords } from '../../../src/renderer/src/words/file-check.ts'
import { auditedWorkstation, numbersOf, TEN } from '../audit/office.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { lastingKeychain, troubledKeychain } from '../storage/keychains.ts'
import { readQrCode } from './qr-reader.ts'

const SCRIPT = join(import.meta.dirname, '../../../scripts/verify-receipt.ts')
const run = promisify(execFile)
const SESSION = 'session-1'

interface TurnNote {
  turn: string
  signerName: string
  documentName: string
}
const MERE: TurnNote = { turn: '1', signerName: 'Mere Tāmati', documentName: 'Lease' }
const TAMA: TurnNote = { turn: '2', signerName: 'Tama Parata', documentName: 'Lease' }

/** A workstation with an audit trail of a counter session. */
function counter() {
  const workstation = auditedWorkstation()
  const audit = workstation.run()
  const { receipts, printed } = workstation.receiptsOf(audit)
  function note(what: AuditNote['what'], detail: Record<string, string> = {}, turn?: TurnNote, after = 60_000): void {
    workstation.now.at += after
    const { turn: number, signerName, documentName } = turn ?? {}
    audit.note({
      what,
      session: SESSION,
      ...(turn && { signerName, documentName, documentReference: `REF-${documentName}` }),
      detail: { ...(number && { turn: number }), ...detail }
    } as AuditNote)
  }
  const starts = (more: Record<string, string> = {}) =>
    note('session-started', { turns: '2', documents: '1', evidence: '', account: 'Harbour Lawyers', ...more }, MERE)
  function signs(turn: TurnNote, outcome: Record<string, string> = { outcome: 'signed' }): void {
    note('handed-over', { evidence: 'Photo ID seen; Passport or ID card compared: the name matches' }, turn)
    note('page-opened', { origin: 'https://sign.example.com' }, turn)
    note('turn-ended', outcome, turn)
  }
  /** Two people, both signed according to the service. */
  function couple(): void {
    starts()
    signs(MERE)
    signs(TAMA)
    note('session-ended', { signed: '2' })
  }
  /** Returns the result of each document in the file copy. */
  async function results(): Promise<string[]> {
    const { links } = await audit.sessionTrail(SESSION)
    const made = contentOf(links, { copy: 'file', number: 'R', key: 'K' })
    if (!made.ok) return [made.why]
    return made.content.people.flatMap(({ name, documents }) => documents.map(({ result }) => `${name}: ${result}`))
  }
  return { ...workstation, audit, receipts, printed, note, starts, signs, couple, results }
}

async function saved(made = counter()) {
  made.couple()
  const { number, bytes } = await made.receipts.pdf(SESSION, 'file')
  const path = join(temporaryFolder(), `${number}.pdf`)
  await writeFile(path, bytes)
  return { ...made, number, path, original: Buffer.from(bytes) }
}

/** Runs the verification script, which shares no code with the product. */
async function byScript(path: string, ...noted: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [SCRIPT, path, ...noted]).catch((error: { stdout: string }) => error)
  return stdout.trim()
}

describe('a receipt', () => {
  test('shows how each person was identified, what they saw, the service’s result, and the trail’s hashes', async () => {
    const { couple, audit, receipts, printed } = counter()
    couple()
    expect((await receipts.people(SESSION)).people.map(({ name }) => name)).toEqual(['Mere Tāmati', 'Tama Parata'])
    const { links } = await audit.sessionTrail(SESSION)
    const { number } = await receipts.print(SESSION, 'file')
    expect(number).toMatch(/^R-2026-000001-[0-9A-F]{4}$/)
    const [page = ''] = printed
    for (const words of [
      ...['Harbour Lawyers', 'For our file', 'Mere Tāmati', 'Tama Parata', 'Lease', 'REF-Lease', 'Grace Okafor'],
      ...['Photo ID seen', 'Passport or ID card compared: the name matches', 'sign.example.com'],
      ...['Signed', 'Confirmed by the signing service at 10:04:00.', 'Pacific/Auckland (UTC+13:00)', '10:02:00', number]
    ])
      expect(page).toContain(words)
    for (const { hash } of [links[0], links.at(-1)].filter((one) => one !== undefined))
      expect(page.replaceAll(' ', '')).toContain(hash)
  })

  test('for the file shows stored identity details, the person’s copy doesn’t, and purging changes neither', async () => {
    const made = counter()
    const { starts, note, audit, receipts, printed, db } = made
    const { numbers } = numbersOf(db)
    starts()
    for (const [turn, reading] of [
      [MERE, { number: 'L898902C3', expires: '2031-04-15' }],
      [TAMA, { number: '4567', isEnd: true as const }]
    ] as const) {
      const of = { accountId: 'a', session: SESSION, turn: Number(turn.turn), documentReference: 'REF-Lease' }
      const { detail, write } = numbers.keep(of, reading)
      write()
      note('handed-over', { evidence: 'Photo ID seen', ...detail }, turn)
      note('turn-ended', { outcome: 'signed' }, turn)
    }
    note('session-ended', { signed: '2' })
    const { number } = await receipts.print(SESSION, 'file')
    const { bytes } = await receipts.pdf(SESSION, 'file')
    await receipts.print(SESSION, 1)
    const [file = '', own = ''] = printed
    const parts = file.split('<h2').map((part) => part.replace(/<[^>]*>/g, ' '))
    expect(parts.find((part) => part.includes('Mere'))).toContain(
      'Document number L898902C3, valid until 15 April 2031'
    )
    expect(parts.find((part) => part.includes('Tama'))).toContain('Document number ending in 4567')
    expect(own).not.toContain('Document number')
    const trail = JSON.stringify((await audit.sessionTrail(SESSION)).links)
    for (const secret of ['L898902C3', '4567', '2031']) expect(trail).not.toContain(secret)

    db.exec('DELETE FROM identity_numbers')
    expect(await receipts.print(SESSION, 'file')).toEqual({ number })
    expect(printed.at(-1)).not.toContain('Document number')
    const path = join(temporaryFolder(), 'receipt.pdf')
    await writeFile(path, bytes)
    expect(await receipts.check(path)).toMatchObject({ verdict: 'genuine', isInTrail: true })
  })

  test('lists the files that a page accepted from the person, and not a refused one', async () => {
    const { starts, note, audit, receipts, printed } = counter()
    starts()
    note('page-opened', { origin: 'https://sign.example.com' }, MERE)
    for (const file of ['Payslip.pdf', 'Passport.jpg', 'Payslip.pdf']) note('file-given', { file, bytes: '9' }, MERE)
    note('file-not-taken', { file: 'Passport.jpg', bytes: '9' }, MERE)
    note('turn-ended', { outcome: 'signed' }, MERE)
    note('session-ended', { signed: '1' })
    const made = contentOf((await audit.sessionTrail(SESSION)).links, { copy: 1, number: 'R', key: 'K' })
    const [document] = (made.ok && made.content.people[0]?.documents) || []
    expect(document).toMatchObject({ files: ['Payslip.pdf', 'Payslip.pdf'], result: 'signed' })
    await receipts.print(SESSION, 1)
    expect(printed.at(-1)).toContain('Files given to the page</p><ul class="files"><li dir="auto">Payslip.pdf</li>')
    expect(printed.at(-1)).not.toContain('Passport.jpg')
  })

  test('for a person is translated around the trail’s words, and has the same number', async () => {
    const { couple, receipts, printed } = counter()
    couple()
    expect(await receipts.people(SESSION)).toEqual({
      people: [{ name: 'Mere Tāmati' }, { name: 'Tama Parata', language: 'mi' }],
      languages: ['to', 'ar']
    })
    const english = await receipts.print(SESSION, 2)
    const theirs = await receipts.print(SESSION, 2, 'mi')
    const arabic = await receipts.print(SESSION, 2, 'ar')
    expect([theirs.number, arabic.number]).toEqual([english.number, english.number])
    const [inEnglish = '', inTheirs = '', inArabic = ''] = printed
    const hashIn = (page: string) => /<dd class="hash"[^>]*>([0-9a-f ]{71})</.exec(page)?.[1]
    expect(hashIn(inTheirs)).toBe(hashIn(inEnglish))
    expect(inTheirs).toContain('<html lang="mi" dir="ltr">')
    expect(inTheirs).toContain('I whakaūngia e te ratonga haina i te <bdi>10:07:00</bdi>.')
    // What the office recorded is left untranslated.
    for (const words of ['Photo ID seen', 'Lease', 'REF-Lease']) expect(inTheirs).toContain(words)
    expect(inTheirs).not.toMatch(/Confirmed by|Signed|Receipt number/)
    expect(inArabic).toContain('<html lang="ar" dir="rtl">')
    expect(inArabic).toContain('إلى <bdi>Tama Parata</bdi>')
  })

  test('for a person starts at their handover, and says how to have it checked', async () => {
    const { couple, receipts, printed } = counter()
    couple()
    for (const copy of ['file', 1, 2] as const) await receipts.print(SESSION, copy)
    const [file = '', first = '', second = ''] = printed
    const timeIn = (page: string) => /<dt>Time<\/dt><dd[^>]*>([^<,]*)/.exec(page)?.[1]
    expect([file, first, second].map(timeIn)).toEqual(['10:01:00 to 10:08:00', '10:02:00', '10:05:00'])
    expect(file).toContain('open Counter, then More actions, then Check a file')
    for (const own of [first, second]) {
      expect(own).toContain('which the office can check for you')
      expect(own).not.toContain('Check a file')
    }
  })

  test('for the file is in English, regardless of the requested language', async () => {
    const { couple, receipts, printed } = counter()
    couple()
    await receipts.print(SESSION, 'file', 'ar')
    expect(printed[0]).toContain('<html lang="en-GB" dir="ltr">')
    expect(printed[0]).toContain('Receipt for signing in person')
  })

  test.each(Object.entries(TRANSLATIONS))(
    'has the same placeholders in each %s sentence as in English',
    (language, all) => {
      const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()
      const reader = readerOf('en')
      for (const [sentence, text] of Object.entries(all)) {
        expect([language, sentence, text.trim()]).toEqual([language, sentence, expect.stringMatching(/./)])
        if (sentence === 'translated') continue
        const marked = reader.say(sentence as ReceiptSentence, {
          name: '{name}',
          time: '{time}',
          staff: '{staff}',
          number: '{number}',
          origin: '{origin}'
        })
        expect([language, sentence, ...places(text)]).toEqual([language, sentence, ...places(marked)])
      }
    }
  )

  test('for one person mentions nobody else', async () => {
    const { couple, receipts, printed } = counter()
    couple()
    await receipts.print(SESSION, 2)
    expect(printed[0]).toContain('For Tama Parata')
    expect(printed[0]).not.toContain('Mere')
  })

  test('reports as signed only what the service does', async () => {
    const { starts, signs, note, results } = counter()
    starts({ turns: '7' })
    const of = (turn: string): TurnNote => ({ turn, signerName: 'Mere Tāmati', documentName: `Deed ${turn}` })
    signs(of('1'), { outcome: 'not-yet' })
    signs(of('2'), { outcome: 'not-yet', how: 'stopped' })
    signs(of('3'), { outcome: 'unknown' })
    signs(of('4'), { outcome: 'declined' })
    note('turn-ended', { outcome: 'skipped' }, of('5'))
    signs(of('6'), { outcome: 'of a later version' })
    note('page-opened', { origin: 'https://sign.example.com' }, of('7'))
    expect((await results()).map((one) => one.split(': ')[1])).toEqual([
      ...['not-signed', 'stopped', 'not-confirmed', 'declined', 'not-opened', 'not-confirmed', 'not-confirmed']
    ])
  })

  test('discards an earlier result once the page was opened again', async () => {
    const { starts, signs, note, results } = counter()
    starts()
    signs(MERE, { outcome: 'not-yet' })
    note('page-opened', { origin: 'https://sign.example.com' }, MERE)
    expect(await results()).toEqual(['Mere Tāmati: not-confirmed'])
    note('turn-ended', { outcome: 'signed' }, MERE)
    expect(await results()).toEqual(['Mere Tāmati: signed'])
  })

  test('has the same number and content when made again, even after a restart', async () => {
    const { couple, receipts, run: restartedRun, receiptsOf, printed, now } = counter()
    couple()
    const first = await receipts.code(SESSION, { name: 'Mere Tāmati' })
    await receipts.print(SESSION, 1)
    now.at += 3_600_000
    const later = receiptsOf(restartedRun())
    expect(await later.receipts.code(SESSION, { name: 'Mere Tāmati' })).toEqual(first)
    await later.receipts.print(SESSION, 1)
    expect(later.printed).toEqual(printed)
  })

  test('gets a new number once more is known, and names the one it replaces', async () => {
    const { starts, signs, note, receipts, printed, audit } = counter()
    starts()
    signs(MERE, { outcome: 'not-yet' })
    note('session-ended')
    const { number: first } = await receipts.print(SESSION, 1)
    note('turn-ended', { outcome: 'signed', known: 'later' }, MERE)
    const { number: second } = await receipts.print(SESSION, 1)
    expect([first.slice(0, 13), second.slice(0, 13)]).toEqual(['R-2026-000001', 'R-2026-000002'])
    expect(printed[0]).toContain('Not signed yet')
    expect(printed[1]).toContain(`This receipt replaces ${first}`)
    expect(printed[1]).toContain('after this session.')
    const { entries } = await audit.list('replaces R-2026-000002', 0, 1)
    expect(entries).toEqual([])
    expect((await audit.list('000002', 0, 1)).entries[0]).toMatchObject({
      what: 'receipt-made',
      detail: { number: second, replaces: first, copy: '1' }
    })
  })

  test('gets a unique number, even after the clock was in another year', async () => {
    const { receipts, couple, note, now } = counter()
    couple()
    const made: string[] = []
    for (const year of [2026, 2026, 2027, 2026, 2027, 2026]) {
      now.at = Date.UTC(year, 10, 21, made.length)
      note('turn-ended', { outcome: 'signed', known: 'later' }, MERE)
      made.push((await receipts.print(SESSION, 'file')).number.slice(0, 13))
    }
    expect(made).toEqual([
      ...['R-2026-000001', 'R-2026-000002', 'R-2027-000001', 'R-2026-000003', 'R-2027-000002', 'R-2026-000004']
    ])
  })

  test('gets an unused number also after backups from before the last receipts were restored', async () => {
    const workstation = counter()
    workstation.couple()
    const made = [(await workstation.receipts.print(SESSION, 'file')).number]
    const backedUp = workstation.audit.newest()?.seq ?? 0
    for (const copy of [1, 2] as const) made.push((await workstation.receipts.print(SESSION, copy)).number)
    // Restored twice, with no receipt made in between.
    for (let time = 0; time < 2; time++) {
      await workstation.audit.flush()
      workstation.tamper(`DELETE FROM audit WHERE seq > ${backedUp}`)
      const remembered: number[] = []
      await forgetAnchor(lastingKeychain(workstation.entries).auditAnchor, openMeta(workstation.db), (entries) =>
        remembered.push(entries)
      )
      expect(remembered[0]).toBeGreaterThan(0)
      workstation.audit = workstation.run()
      workstation.audit.note({ what: 'data-restored' })
      expect(await workstation.audit.check()).toMatchObject({ isCutOff: false })
    }
    const { receipts } = workstation.receiptsOf(workstation.audit)
    for (const copy of [1, 2] as const) made.push((await receipts.print(SESSION, copy)).number)
    expect(made.map((number) => number.slice(7, 13))).toEqual(['000001', '000002', '000003', '000004', '000005'])
    expect(new Set(made.map((number) => number.slice(14))).size).toBe(1)
  })

  test('gets a new number if the signing key changed', async () => {
    const { couple, receipts, entries } = counter()
    couple()
    const { number: first } = await receipts.print(SESSION, 'file')
    for (const name of entries.keys()) if (name.includes('key')) entries.delete(name)
    const { number: second } = await receipts.print(SESSION, 'file')
    expect(second.slice(7, 13)).toBe('000002')
    expect(second.slice(14)).not.toBe(first.slice(14))
  })

  test('counts from one again in a new year', async () => {
    const { couple, receipts, now } = counter()
    couple()
    await receipts.print(SESSION, 'file')
    now.at = Date.UTC(2026, 11, 31, 11, 30)
    expect((await receipts.print(SESSION, 1)).number).toMatch(/^R-2027-000001-/)
  })

  test('gets a unique number when several are requested at the same time', async () => {
    const { couple, receipts } = counter()
    couple()
    const made = await Promise.all(([1, 2, 'file', 1, 2] as const).map((copy) => receipts.print(SESSION, copy)))
    expect(made.map(({ number }) => number.slice(7, 13))).toEqual(['000001', '000002', '000003', '000001', '000002'])
  })

  test('says that the session was interrupted, and what isn’t known', async () => {
    const { starts, signs, note, receipts, printed } = counter()
    starts({ turns: '4' })
    signs(MERE)
    note('handed-over', { evidence: '' }, TAMA)
    note('page-opened', { origin: 'https://sign.example.com' }, TAMA)
    note('session-interrupted', { startedBy: 'Grace Okafor' })
    await receipts.print(SESSION, 'file')
    for (const words of [
      ...['Countersign closed during this session', 'The end of this session is missing', 'Not confirmed'],
      ...['No identity check was recorded.', 'More signatures were planned,']
    ])
      expect(printed[0]).toContain(words)
  })

  test('for a practice account says that nothing counts', async () => {
    const { starts, signs, receipts, printed } = counter()
    starts({ practice: 'yes' })
    signs(MERE)
    await receipts.print(SESSION, 1)
    expect(printed[0]).toContain('Practice: nothing that was signed in this session counts.')
  })
})

describe('no receipt claims more than the trail supports', () => {
  test('if the trail was changed', async () => {
    const { couple, receipts, tamper } = counter()
    couple()
    tamper(`UPDATE audit SET detail = replace(detail, 'signed', 'signeD') WHERE what = 'turn-ended'`)
    await expect(receipts.print(SESSION, 'file')).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  })

  test('if an entry of the session was deleted', async () => {
    const { couple, receipts, tamper } = counter()
    couple()
    tamper(`DELETE FROM audit WHERE what = 'page-opened'`)
    await expect(receipts.print(SESSION, 'file')).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  })

  test('if its start or all of it is missing, or an earlier version recorded it', async () => {
    const { signs, receipts, starts, note } = counter()
    await expect(receipts.print('session-9', 'file')).rejects.toMatchObject({ appError: { code: 'gone' } })
    signs(MERE)
    await expect(receipts.print(SESSION, 'file')).rejects.toMatchObject({
      appError: { code: 'gone', message: expect.stringContaining('beginning') }
    })
    starts()
    note('turn-ended', { outcome: 'signed', turn: '' })
    const older = counter()
    older.starts()
    older.audit.note({ what: 'turn-ended', session: SESSION, signerName: 'Mere', detail: { outcome: 'signed' } })
    await expect(older.receipts.print(SESSION, 'file')).rejects.toMatchObject({
      appError: { code: 'gone', message: expect.stringContaining('earlier version') }
    })
  })

  test('while the session runs, or the trail waits for disk space', async () => {
    const { couple, receipts, now, db, note } = counter()
    couple()
    now.running = SESSION
    await expect(receipts.print(SESSION, 'file')).rejects.toMatchObject({ appError: { code: 'busy' } })
    delete now.running
    await receipts.print(SESSION, 'file')
    db.exec(`CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END`)
    note('turn-ended', { outcome: 'unknown' }, MERE)
    await expect(receipts.print(SESSION, 'file')).rejects.toMatchObject({ appError: { code: 'internal' } })
  })

  test('and lost entries of that time are mentioned', async () => {
    const { couple, receipts, audit, printed } = counter()
    const iso = (at: number) => new Date(at).toISOString()
    couple()
    const lost = (from: number, until: number) =>
      audit.note({ what: 'entries-lost', detail: { entries: '3', from: iso(from), until: iso(until) } })
    lost(TEN + 24 * 3_600_000, TEN + 25 * 3_600_000)
    await receipts.print(SESSION, 'file')
    expect(printed[0]).not.toContain('are missing')
    lost(TEN + 120_000, TEN + 180_000)
    await receipts.print(SESSION, 'file')
    expect(printed[1]).toContain('Entries of the audit trail from this time are missing')
  })
})

describe('a receipt file', () => {
  test('is verified as genuine, ours, and matching the trail, by us and by the script', async () => {
    const { receipts, path, number } = await saved()
    const found = await receipts.check(path)
    expect(found).toMatchObject({ verdict: 'genuine', key: { isOurs: true }, receipt: { number }, isInTrail: true })
    const output = await byScript(path, found.key?.fingerprint ?? '')
    expect(output).toMatch(new RegExp(`^Genuine: ${number}, issued 2026-11-21T10:`))
    expect(output).toContain('Mere Tāmati: Lease: signed')
  })

  test('changed in any byte is detected, with the position', async () => {
    const { receipts, path, original } = await saved()
    const unnoticed: number[] = []
    for (let at = 0; at < original.length; at += 97) {
      const changed = Buffer.from(original)
      changed[at] = (changed[at] ?? 0) ^ 1
      await writeFile(path, changed)
      const { verdict, bytes } = await receipts.check(path)
      if (verdict === 'genuine' || verdict === 'unsigned' || !bytes || at < bytes.from || at > bytes.to)
        unnoticed.push(at)
    }
    expect(unnoticed).toEqual([])
  })

  test('changed in any byte of its end or its signature’s marker is detected, with the position', async () => {
    const { receipts, path, original } = await saved()
    const mark = original.lastIndexOf('\n%countersign-receipt')
    const places = [...Array(23).keys()]
      .map((at) => mark + at)
      .concat([...Array(22).keys()].map((at) => original.length - 1 - at))
    for (const at of places) {
      const changed = Buffer.from(original)
      changed[at] = (changed[at] ?? 0) ^ 2
      await writeFile(path, changed)
      const { verdict, bytes } = await receipts.check(path)
      expect(verdict, String(at)).not.toBe('genuine')
      expect(bytes && { at, isWithin: at >= bytes.from && at <= bytes.to }).toEqual({ at, isWithin: true })
    }
  })

  test('with a changed byte is reported by the script, which shares no code with the product', async () => {
    const { path, original } = await saved()
    const at = original.indexOf('Tama Parata')
    const tail = original.length - 9
    for (const [place, verdict] of [
      [at, /^Changed: bytes (\d+) to (\d+)$/],
      [tail, new RegExp(`^Changed: byte ${tail}$`)]
    ] as const) {
      const changed = Buffer.from(original)
      changed[place] = (changed[place] ?? 0) ^ 1
      await writeFile(path, changed)
      const [, from, to] = verdict.exec(await byScript(path)) ?? []
      expect(await byScript(path)).toMatch(verdict)
      if (from) expect(place >= Number(from) && place <= Number(to)).toBe(true)
    }
    for (const imported of (await readFile(SCRIPT, 'utf8')).matchAll(/from '(?:node:)?([^']+)'/g))
      expect(builtinModules).toContain(imported[1])
  })

  test('that was extended, cut off, or isn’t a receipt is never genuine', async () => {
    const { receipts, path, original } = await saved()
    const deep = Buffer.concat([
      Buffer.from(
        `%PDF-1.7\n%countersign-receipt ${Buffer.from('['.repeat(200_000)).toString('base64')}\nstartxref\n1\n%%EOF\n`
      )
    ])
    for (const bytes of [
      Buffer.concat([original, Buffer.from(' ')]),
      Buffer.concat([original, original]),
      original.subarray(0, 3000),
      original.subarray(0, original.length - 1),
      original.subarray(100),
      Buffer.alloc(0),
      Buffer.from('%PDF-1.7\n1 0 obj<</Filter/FlateDecode/Length 9999999999>>stream\n'),
      deep,
      Buffer.alloc(300_000, '\n'),
      Buffer.alloc(300_000, 'A')
    ]) {
      await writeFile(path, bytes)
      expect((await receipts.check(path)).verdict).not.toBe('genuine')
    }
    await writeFile(path, Buffer.alloc(21 * 1024 * 1024))
    expect(await receipts.check(path)).toMatchObject({ verdict: 'unsigned' })
    await expect(receipts.check(`${path}.none`)).rejects.toMatchObject({ appError: { code: 'bad-file' } })
    // A pipe that nobody writes to doesn't block.
    execFileSync('mkfifo', [`${path}.pipe`])
    await expect(receipts.check(`${path}.pipe`)).rejects.toMatchObject({ appError: { code: 'bad-file' } })
  })

  test('from another office is never ours, and one without its session here doesn’t match', async () => {
    const { path } = await saved()
    const other = await saved()
    const found = await other.receipts.check(path)
    expect(found).toMatchObject({ verdict: 'genuine', key: { isOurs: false } })
    expect(fileCheckWords(found)).toMatchObject({ kind: 'warn', more: expect.stringContaining('another key') })
    // The same key, but a restarted trail.
    const restarted = auditedWorkstation()
    for (const [name, text] of other.entries) if (name.includes('key')) restarted.entries.set(name, text)
    const { receipts } = restarted.receiptsOf(restarted.run())
    const lost = await receipts.check(other.path)
    expect(lost).toMatchObject({ key: { isOurs: true }, isInTrail: false })
    expect(fileCheckWords(lost).more).toContain('doesn’t say the same')
  })

  test('that can’t be told from another computer’s while the keychain is locked isn’t called unreadable', async () => {
    const { audit, path, receiptsOf } = await saved()
    const { receipts } = receiptsOf(audit, troubledKeychain('locked').auditKey)
    await expect(receipts.check(path)).rejects.toMatchObject({ name: 'KeychainError', code: 'locked' })
  })

  test('is reported as replaced, with the number of its replacement', async () => {
    const { receipts, path, note } = await saved()
    note('turn-ended', { outcome: 'declined', known: 'later' }, TAMA)
    const { number } = await receipts.print(SESSION, 'file')
    const found = await receipts.check(path)
    expect(found).toMatchObject({ isInTrail: true, receipt: { replacedBy: number } })
    expect(fileCheckWords(found).more).toContain(`Receipt ${number} replaces it`)
  })
})

describe('a receipt page', () => {
  test('can list ten people with thirty documents each, and shows any name as text', async () => {
    const { starts, note, audit } = counter()
    starts({ turns: '300' })
    const names = [
      '<script>alert(1)</script>',
      `${'محمد '.repeat(60)}\u202e`,
      '" onload="x',
      '王小明',
      `A${'a'.repeat(299)}`
    ]
    for (let turn = 1; turn <= 300; turn++) {
      const signerName = `${names[turn % 5]} ${turn % 10}`
      note(
        'page-opened',
        { origin: 'https://sign.example.com' },
        { turn: String(turn), signerName, documentName: `Deed & ${turn}` }
      )
    }
    const { links } = await audit.sessionTrail(SESSION)
    const made = contentOf(links, { copy: 'file', number: 'R-1', key: 'K' })
    if (!made.ok) throw new Error(made.why)
    const page = receiptPage(made.content, {
      sha256: 'ab',
      issuedAt: '',
      logo: undefined,
      kept: [],
      reader: readerOf('en'),
      code: qrCodeOf('R-1', 'ab')
    })
    expect(page.match(/<tr>/g)).toHaveLength(300 + 10)
    expect(page).not.toMatch(/<script|" onload|\u202e/)
    expect(page).toContain('&lt;script&gt;')
    for (let turn = 1; turn <= 300; turn++) expect(page).toContain(`Deed &amp; ${turn}<`)
  })

  test('has a code with only the number and the hash', () => {
    const sha256 = '3f'.repeat(32)
    const { size, path } = qrCodeOf('R-2026-000001-3F2A', sha256)
    expect(size).toBe(33)
    expect(path).toMatch(/^(M\d+ \d+h1v1h-1z)+$/)
    expect(readQrCode(path)).toBe(`R-2026-000001-3F2A ${sha256.toUpperCase()}`)
  })
})

test('the printed key fingerprint has the office and the date, and no personal data', async () => {
  const { couple, receipts, printed, audit, exportsOf } = counter()
  couple()
  const { fingerprint } = await exportsOf(audit).key()
  await receipts.printKey()
  const { number } = await receipts.print(SESSION, 'file')
  const [page = ''] = printed
  expect(page).toContain(`<p class="fingerprint">${fingerprint}</p>`)
  expect(page).toContain('Harbour &amp; Sons')
  expect(page).toMatch(
    /Printed<\/dt><dd[^>]*>Saturday 21 November 2026, \d\d:\d\d:\d\d, Pacific\/Auckland \(UTC\+13:00\)/
  )
  expect(number.slice(-4)).toBe(/numbers end in<\/dt><dd[^>]*>([0-9A-F]{4})</.exec(page)?.[1])
  expect(page).not.toContain('Mere')
})
