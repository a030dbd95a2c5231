/**
 * The service's answer to a verification is stored unchanged, with an entry in the audit trail; tampering is detected.
 */
import { describe, expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import type { Db } from '../../../src/main/core/storage/connection.ts'
import { openVerificationsTable } from '../../../src/main/core/verifications/verifications-table.ts'
import { anOffice, NOT_VALID, signature, VALID } from './office.ts'

const failing = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('This should have failed.'),
    (error: unknown) => asAppError(error)
  )

/** Changes rows despite the table's guard, as someone with the database key can. */
function tamper(db: Awaited<ReturnType<typeof anOffice>>['office']['db'], sql: string): void {
  db.exec('DROP TRIGGER verifications_are_not_changed')
  db.exec(sql)
}

describe('a verification', () => {
  test('is stored with its time and who requested it, and available after a restart', async () => {
    const at = await anOffice()
    await at.office.showDocuments([{ Reference: 'R1', Name: 'Lease R1', Status: 'Complete' }])
    const view = await at.verify('R1')
    expect(view).toMatchObject({
      reference: 'R1',
      documentName: 'Lease R1',
      by: 'person',
      found: { signatures: 3, valid: 3, notValid: 0 }
    })
    expect(at.office.verified).toEqual(['R1'])
    await at.startAgain()
    const { last, verifications, total, missing } = await at.ofDocument('R1')
    expect(last).toEqual(view)
    expect(last?.Signatures).toHaveLength(3)
    expect([verifications.length, total, missing]).toEqual([1, 1, 0])
    expect(at.server.validated).toEqual(['R1'])
  })

  test('requested again is stored in addition to the first', async () => {
    const at = await anOffice()
    const first = await at.verify('R1')
    at.answer(NOT_VALID)
    const second = await at.verify('R1')
    const { last, verifications } = await at.ofDocument('R1')
    expect(last?.id).toBe(second.id)
    expect(verifications.map(({ id, found }) => [id, found.notValid])).toEqual([
      [second.id, 1],
      [first.id, 0]
    ])
  })

  test('has an audit trail entry with its hash, and no personal data', async () => {
    const at = await anOffice()
    const { id } = await at.verify('R1')
    const { entries } = await at.office.audit.list('', 0, 10)
    expect(entries).toMatchObject([
      {
        what: 'signatures-verified',
        documentReference: 'R1',
        detail: { verification: id, by: 'person', found: 'valid', sha256: expect.stringMatching(/^[\da-f]{64}$/) }
      }
    ])
    expect(JSON.stringify(entries)).not.toMatch(/Mere|Tamati|example\.com/)
    expect(await at.office.audit.check()).toMatchObject({ isWhole: true, entries: 1 })
  })

  test('stays when the document disappears from the service, and is deleted with its account', async () => {
    const at = await anOffice()
    await at.office.showDocuments([{ Reference: 'R1', Name: 'Lease R1', Status: 'Complete' }])
    await at.verify('R1')
    for (let round = 0; round < 4; round++) await at.office.showDocuments([])
    expect((await at.ofDocument('R1')).total).toBe(1)
    await at.office.accounts.remove(at.office.accountId)
    expect(await at.ofDocument('R1')).toEqual({ verifications: [], total: 0, missing: 1 })
    expect((await at.office.audit.list('', 0, 10)).total).toBe(1)
  })

  test('that fails leaves no record', async () => {
    const at = await anOffice()
    at.server.validate = (_reference, response) => response.writeHead(404).end()
    expect(await failing(at.verify('R1'))).toMatchObject({ code: 'not-found' })
    await at.server.close()
    expect(await failing(at.verify('R1'))).toMatchObject({ code: 'refused' })
    expect(await at.ofDocument('R1')).toEqual({ verifications: [], total: 0, missing: 0 })
    expect((await at.office.audit.list('', 0, 10)).total).toBe(0)
  })

  test('and its audit entry are stored together or not at all', async () => {
    const at = await anOffice()
    at.office.db.exec(`CREATE TRIGGER full BEFORE INSERT ON verifications BEGIN SELECT RAISE (ABORT, 'full'); END`)
    await failing(at.verify('R1'))
    expect((await at.office.audit.list('', 0, 10)).total).toBe(0)
    at.office.db.exec('DROP TRIGGER full')
    at.office.db.exec(`CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE (ABORT, 'full'); END`)
    await failing(at.verify('R1'))
    expect((await at.ofDocument('R1')).total).toBe(0)
  })

  test.each([
    ['all are valid', { Signatures: [signature(true)] }, { signatures: 1, valid: 1, notValid: 0 }, 'valid'],
    [
      'one has no result',
      { Signatures: [signature(true), signature()] },
      { signatures: 2, valid: 1, notValid: 0 },
      'unconfirmed'
    ],
    ['there are none', { Signatures: [] }, { signatures: 0, valid: 0, notValid: 0 }, 'none'],
    ['signatures aren’t mentioned', {}, { valid: 0, notValid: 0 }, 'unknown']
  ])('reports just what was answered if %s', async (_what, answer, found, word) => {
    const at = await anOffice()
    at.answer(answer)
    expect((await at.verify('R1')).found).toEqual(found)
    expect((await at.ofDocument('R1')).last?.found).toEqual(found)
    expect(at.office.notes).toMatchObject([{ detail: { found: word } }])
  })
})

describe('a hostile answer', () => {
  test('is stored without the document’s address, even in unexpected members', async () => {
    const at = await anOffice()
    const DocumentURL = 'https://sign.example.com/signed/0123456789abcdef'
    at.answer({ ...VALID, DocumentURL, See: `At ${DocumentURL}`, '0123456789abcdef': 1 })
    await at.verify('R1')
    const rows = JSON.stringify(at.office.db.prepare('SELECT * FROM verifications').all())
    expect(rows).not.toContain('0123456789abcdef')
    expect(JSON.stringify(await at.ofDocument('R1'))).not.toContain('0123456789abcdef')
  })

  test('keeps unknown members and half characters as they came', async () => {
    const at = await anOffice()
    at.answer({ ...VALID, LegacyCode: 'A-17', Half: '\ud83d', Zero: 'a\0b', DocumentName: 'Lease \ud83d' })
    await at.verify('R1')
    await at.startAgain()
    const { last } = await at.ofDocument('R1')
    expect(last).not.toHaveProperty('isAltered')
    expect(last?.others?.map(({ name }) => name)).toEqual(['LegacyCode', 'Half', 'Zero'])
  })

  test.each([
    ['far larger than its signatures require', { Signatures: Array.from({ length: 9000 }, () => signature(true)) }],
    ['nested extremely deeply', { ...VALID, Nested: JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`) as unknown }]
  ])('%s is refused, and leaves no record', async (_what, answer) => {
    const at = await anOffice()
    at.answer(answer)
    expect(await failing(at.verify('R1'))).toMatchObject({
      code: 'too-large',
      next: expect.stringContaining('verified')
    })
    expect((await at.ofDocument('R1')).total).toBe(0)
    expect(at.office.notes).toEqual([])
  })
})

describe('tampering with stored verifications', () => {
  test.each([
    ['the answer', `UPDATE verifications SET answer = replace(answer, 'false', 'true')`],
    ['the counts', 'UPDATE verifications SET valid = 3, not_valid = 0'],
    ['the time', 'UPDATE verifications SET answered_at = answered_at + 60000'],
    ['who requested it', `UPDATE verifications SET rule_id = 'rule'`],
    ['the answer into something else', `UPDATE verifications SET answer = '[1]'`]
  ])('by changing %s is detected on the page, in lists and in a file', async (_what, sql) => {
    const at = await anOffice()
    at.answer(NOT_VALID)
    await at.verify('R1')
    tamper(at.office.db, sql)
    const { last, verifications } = await at.ofDocument('R1')
    expect(last).toMatchObject({ isAltered: true })
    expect(last).not.toHaveProperty('Signatures')
    expect(verifications).toMatchObject([{ isAltered: true }])
    const { accountId } = at.office
    const request = { since: 0, notValid: false, search: '', offset: 0, limit: 10 }
    expect((await at.verifications.since(accountId, request)).verifications).toMatchObject([{ isAltered: true }])
    expect(() => at.verifications.file(accountId, 'R1')).toThrow()
  })

  test('needs the table’s guard to be dropped first', async () => {
    const at = await anOffice()
    await at.verify('R1')
    expect(() => at.office.db.exec(`UPDATE verifications SET answer = '{}'`)).toThrow('stays as it is')
  })

  test('by moving one to another document or deleting one is detected', async () => {
    const at = await anOffice()
    await at.verify('R1')
    await at.verify('R2')
    tamper(at.office.db, `UPDATE verifications SET document_reference = 'R2' WHERE document_reference = 'R1'`)
    expect((await at.ofDocument('R2')).verifications.map(({ isAltered }) => isAltered)).toEqual([undefined, true])
    at.office.db.exec(`DELETE FROM verifications`)
    expect(await at.ofDocument('R1')).toMatchObject({ total: 0, missing: 1 })
  })

  test('by inserting one is detected', async () => {
    const at = await anOffice()
    await at.verify('R1')
    at.office.db.exec(`INSERT INTO verifications (id, account_id, document_reference, document_name, asked_at, answered_at, signatures,
      valid, not_valid, answer) SELECT 'made up', account_id, 'R1', 'Lease', 1, 1, 1, 1, 0, '{}' FROM verifications`)
    expect((await at.ofDocument('R1')).last).toMatchObject({ id: 'made up', isAltered: true })
  })

  test('isn’t suspected because another account’s document has the same reference', async () => {
    const at = await anOffice()
    const other = await at.office.accounts.add({
      kind: 'service',
      name: 'Other office',
      baseUrl: at.server.url,
      authentication: { scheme: 'none' }
    })
    await at.verifications.verify(other.id, 'R1')
    await at.verify('R1')
    await at.office.accounts.remove(other.id)
    expect(await at.ofDocument('R1')).toMatchObject({ total: 1, missing: 0 })
  })
})

describe('many verifications', () => {
  /** Adds verifications of one document, each with an answer of the largest size kept, as if all had been requested. */
  async function withMany(count: number) {
    const at = await anOffice()
    at.answer({ ...VALID, Padding: 'x'.repeat(190_000) })
    await at.verify('R1')
    const { db } = at.office
    for (let made = 1; made < count; made++) {
      db.exec(`INSERT INTO verifications (id, account_id, document_reference, document_name, asked_at, answered_at, signatures, valid,
          not_valid, answer)
        SELECT 'copy ${made}', account_id, document_reference, 'Lease ${made}', asked_at, answered_at + ${made}, signatures, valid,
          not_valid, answer FROM verifications WHERE number = 1`)
    }
    return at
  }

  test('are listed by page without blocking the application', async () => {
    const at = await withMany(60)
    const { accountId } = at.office
    let turns = 0
    const others = setInterval(() => turns++, 0)
    const request = { since: 0, notValid: false, search: '', limit: 50 }
    const first = await at.verifications.since(accountId, { ...request, offset: 0 })
    clearInterval(others)
    const rest = await at.verifications.since(accountId, { ...request, offset: 50 })
    expect([first.verifications.length, rest.verifications.length, first.total]).toEqual([50, 10, 60])
    expect(new Set([...first.verifications, ...rest.verifications].map(({ id }) => id)).size).toBe(60)
    expect(turns).toBeGreaterThan(1)
  })

  test('are searched by document name, including old ones', async () => {
    const at = await anOffice()
    await at.verify('R1')
    const { accountId, db } = at.office
    db.exec(`WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < 1300)
      INSERT INTO verifications (id, account_id, document_reference, document_name, asked_at, answered_at, valid, not_valid, answer)
      SELECT 'made ' || n, account_id, 'M' || n, 'Māori land ' || n, 1, n / 3, 0, n = 7, '{}' FROM made, verifications WHERE number = 1`)
    const request = { since: 0, notValid: false, offset: 0, limit: 100 }
    const found = async (search: string, more = {}) => {
      const { verifications, total } = await at.verifications.since(accountId, { ...request, search, ...more })
      return [total, ...verifications.map(({ id }) => id)]
    }
    expect(await found('LAND maori 1299')).toEqual([1, 'made 1299'])
    expect(await found('129', { offset: 1, limit: 2 })).toEqual([12, 'made 1298', 'made 1297'])
    expect(await found('maori', { limit: 1 })).toEqual([1300, 'made 1300'])
    expect(await found('maori', { notValid: true })).toEqual([1, 'made 7'])
    expect(await found('maori', { since: 433, limit: 1 })).toEqual([2, 'made 1300'])
    expect(await found('nobody')).toEqual([0])
  })

  test('of one document are each looked up in the trail by index', async () => {
    const { db } = (await anOffice()).office
    const lookUps: string[] = []
    const prepare = (sql: string) => {
      if (sql.includes('sha256')) lookUps.push(sql)
      return db.prepare(sql)
    }
    openVerificationsTable({ prepare } as Db)
    expect(lookUps).toHaveLength(1)
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${lookUps[0]}`).all('R1', 'x')
    expect(JSON.stringify(plan)).toContain('(document_reference=? AND <expr>=?)')
  })
})

describe('the list of invalid signatures', () => {
  test('has documents until they are dismissed or found valid', async () => {
    const at = await anOffice()
    const { accountId } = at.office
    const opened = () => at.verifications.listOpen(accountId, 10).verifications.map(({ reference }) => reference)
    at.answer(NOT_VALID)
    for (const reference of ['R1', 'R2', 'R1']) await at.verify(reference)
    expect(opened()).toEqual(['R1', 'R2'])
    // An answer that no longer mentions validity takes nothing back.
    at.answer({ Signatures: [signature()] })
    await at.verify('R2')
    expect(opened()).toEqual(['R1', 'R2'])
    at.answer(VALID)
    await at.verify('R2')
    expect(opened()).toEqual(['R1'])
    const [first] = at.verifications.listOpen(accountId, 10).verifications
    at.verifications.dismiss(accountId, first?.id ?? '')
    expect(opened()).toEqual([])
    expect(() => at.verifications.dismiss('another', first?.id ?? '')).toThrow()
    // What was dismissed isn't forgotten.
    expect((await at.ofDocument('R1')).total).toBe(2)
    at.answer(NOT_VALID)
    await at.verify('R1')
    expect(opened()).toEqual(['R1'])
  })
})
