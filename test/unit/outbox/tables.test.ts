/** The outbox's tables can be searched and counted, and queries use their indexes. */
import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { SendQueries } from '../../../src/main/core/outbox/send-list.ts'
import { openSends } from '../../../src/main/core/outbox/sends.ts'
import { connectInMemory, type Db } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { fingerprintOf, signersInWords, toFormDirectRequest } from '../../../src/shared/composition/index.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'

let db: Db
afterEach(() => void db.close())

const composition = forms({ items: [form({ signers: [signer(), signer({ key: 's2', FirstName: 'Wiremu' })] })] })

/** Creates a database with one send in each state. */
function sendsOfEachState(): Db {
  db = connectInMemory()
  migrate(db)
  db.exec(
    `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, json_by_query, folders, created_at, position)
  VALUES ('a', 'Office', 'service', 'https://sign.example.com', 'none', '#123456', 0, '[]', 1, 0)`
  )
  const insert = db.prepare(
    `INSERT INTO sends (id, account_id, draft_id, kind, state, title, who, created_at, attempt, attempted_at,
       first_attempted_at, settled_at, package_reference, package_status, documents, fingerprint, error)
     VALUES (@state, 'a', @draft, 'form-direct', @state, 'Tax file declaration', @who, @at, 1, @at, @at, @settledAt,
       @packageReference, @packageStatus, @documents, @fingerprint, @error)`
  )
  const keep = db.prepare('INSERT INTO send_bodies (number, body, response) VALUES (?, ?, ?)')
  const link = db.prepare(`INSERT INTO send_documents (reference, account_id, send_id) VALUES (?, 'a', ?)`)
  for (const [index, state] of ['sending', 'sent', 'refused', 'uncertain', 'not-sent'].entries()) {
    const request = toFormDirectRequest(composition, (item) => `cs-${state}-${item + 1}`)
    const body = JSON.stringify({ kind: 'form-direct', request, composition, missedAt: 5 })
    const documents = [
      { reference: 'document-1', name: 'Tax.pdf' },
      { reference: 'document-2', name: '' }
    ]
    const isSent = state === 'sent'
    const { lastInsertRowid } = insert.run({
      state,
      draft: randomUUID(),
      who: signersInWords(composition),
      at: 1000 + index,
      fingerprint: fingerprintOf(composition),
      settledAt: isSent ? 2000 : null,
      packageReference: isSent ? 'package-1' : null,
      packageStatus: isSent ? 'Sent' : null,
      documents: JSON.stringify(isSent ? documents : []),
      error: state === 'uncertain' ? JSON.stringify({ code: 'timeout', message: 'No answer.' }) : null
    })
    keep.run(lastInsertRowid, body, isSent ? JSON.stringify({ PackageReference: 'package-1' }) : null)
    if (isSent) for (const { reference } of documents) link.run(reference, state)
  }
  return db
}

test('every send can be found, counted and read with its content', async () => {
  sendsOfEachState()
  const sends = openSends(db)
  const pages = new SendQueries(db)
  const list = await pages.search(['a'], 'wiremu', { show: 'all', offset: 0, limit: 10 })
  expect(list.sends.map(({ id }) => id)).toEqual(['not-sent', 'uncertain', 'refused', 'sent', 'sending'])
  expect(pages.counts('a')).toEqual({
    ready: 0,
    sending: 1,
    sent: 1,
    refused: 1,
    uncertain: 1,
    notSent: 1,
    cancelled: 0
  })
  expect(sends.get('sent')).toMatchObject({
    who: 'Mere Tamati and Wiremu Tamati',
    packageReference: 'package-1',
    documents: [
      { reference: 'document-1', name: 'Tax.pdf' },
      { reference: 'document-2', name: '' }
    ],
    attempt: 1,
    attemptedAt: 1001,
    settledAt: 2000
  })
  expect(sends.get('uncertain').error).toMatchObject({ code: 'timeout' })
  expect(sends.compositionOf(sends.get('refused'))).toEqual(composition)
  expect(sends.requestOf(sends.get('sending'))).toMatchObject({
    kind: 'form-direct',
    request: { Forms: [{ ClientReference: 'cs-sending-1' }] }
  })
  expect(sends.ofDocument('document-2')?.id).toBe('sent')
  expect(pages.recent('a', 2000).get(fingerprintOf(composition))).toBe(2000)
  expect(db.pragma('foreign_key_check')).toEqual([])
})

test('deleting an account deletes its outbox, including the counts', () => {
  sendsOfEachState()
  db.exec(`DELETE FROM accounts`)
  for (const table of ['sends', 'send_bodies', 'send_documents', 'send_counts', 'batches', 'outboxes']) {
    expect(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0)
  }
})

test.each([
  [
    'the sends of an account',
    'SELECT id FROM sends INDEXED BY sends_by_account WHERE account_id = ? ORDER BY created_at DESC, sheet_row, number DESC'
  ],
  ['the send of a document', 'SELECT send_id FROM send_documents WHERE reference = ?'],
  ['the send of a draft', 'SELECT id FROM sends WHERE draft_id = ? AND state IN (?, ?)'],
  [
    'the counts of an account',
    'SELECT state, sum(count) FROM send_counts WHERE account_id = ? GROUP BY state, batch_id'
  ]
])('finds %s without a full table scan', (_, sql) => {
  sendsOfEachState()
  const parameters = Array.from(sql.matchAll(/\?/g), () => 'x')
  const plan = JSON.stringify(db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters))
  expect(plan).toMatch(/USING (COVERING INDEX|INDEX|PRIMARY KEY)/)
  expect(plan).not.toMatch(/SCAN/)
})
