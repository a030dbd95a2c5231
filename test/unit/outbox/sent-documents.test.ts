/**
 * The documents of an answer go to the documents worker immediately, with their links; the outbox doesn't keep these.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { documentsWithLinks } from '../../../src/main/core/outbox/sent-documents.ts'
import { forms, templates } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
})
afterEach(() => work.close())

const storedResponses = () => JSON.stringify(work.parts.db.prepare('SELECT response FROM send_bodies').all())
const queue = () => work.parts.ask('waitingHere', { accountId: work.accountId })

test.each([forms({ embedded: true }), templates({ embedded: true })])(
  'a person can sign before any folder has been read',
  async (composition) => {
    await work.send(composition)
    await expect.poll(queue).toMatchObject([{ signerName: 'Mere Tamati' }])
    await expect.poll(storedResponses).not.toContain('SigningKey')
    expect(storedResponses()).toContain('PackageReference')
    expect(work.rounds).toEqual([])
    // Our own action isn't news.
    const [change] = await work.ask('changesAfter', { after: 0, limit: 1 })
    expect(change).toMatchObject({ kind: 'arrived', isOwn: true })
  }
)

describe('while the documents can’t be stored', () => {
  beforeEach(async () => {
    work.disk.isFull = true
    await work.send(forms({ embedded: true }))
    await expect.poll(storedResponses).toContain('SigningKey')
    expect(await queue()).toEqual([])
    work.disk.isFull = false
  })

  test('the links stay in the answer, and storing is retried', async () => {
    await work.time.pass(2_000)
    await expect.poll(queue).toHaveLength(1)
    await expect.poll(storedResponses).not.toContain('SigningKey')
  })

  test('and the application ends, they are stored at the next start', async () => {
    work.restart()
    await expect.poll(queue).toHaveLength(1)
    await expect.poll(storedResponses).not.toContain('SigningKey')
  })
})

describe('signing links at the top level of an answer', () => {
  const signer = (Email: string, SignerReference?: string) => ({ Email, ...(SignerReference && { SignerReference }) })
  const linksIn = (answer: Parameters<typeof documentsWithLinks>[0]) =>
    documentsWithLinks(answer).map(({ Signers = [] }) => Signers.map(({ SigningKey }) => SigningKey))

  test('go to the signer with the same reference', () => {
    const Documents = [{ Reference: 'd', Signers: [signer('a@example.com', '1'), signer('a@example.com', '2')] }]
    const Signers = [{ ...signer('a@example.com', '2'), SigningKey: 'two' }]
    expect(linksIn({ Documents, Signers })).toEqual([[undefined, 'two']])
  })

  test('go to the same person, in the order of the documents', () => {
    const Documents = ['one', 'two'].map((Reference) => ({ Reference, Signers: [signer('a@example.com')] }))
    const Signers = ['1', '2'].map((SigningKey) => ({ ...signer('A@Example.com'), SigningKey }))
    expect(linksIn({ Documents, Signers })).toEqual([['1'], ['2']])
  })

  test('go to nobody if they could be for several people', () => {
    const Documents = ['one', 'two'].map((Reference) => ({ Reference, Signers: [signer('a@example.com')] }))
    const Signers = [
      { ...signer('a@example.com'), SigningKey: '1' },
      { ...signer('b@example.com'), SigningKey: '2' }
    ]
    expect(linksIn({ Documents, Signers })).toEqual([[undefined], [undefined]])
  })

  test('go to an unnamed signer only if there is no other', () => {
    const link = (SigningKey: string) => ({ SigningKey })
    const one = { Reference: 'd', Signers: [{ FirstName: 'Mere' }] }
    expect(linksIn({ Documents: [one], Signers: [link('1')] })).toEqual([['1']])
    const two = { Reference: 'd', Signers: [{}, {}] }
    expect(linksIn({ Documents: [two], Signers: [link('1'), link('2')] })).toEqual([[undefined, undefined]])
    const other = { Reference: 'd', Signers: [signer('a@example.com', '1')] }
    expect(linksIn({ Documents: [other], Signers: [{ SignerReference: '2', ...link('1') }] })).toEqual([[undefined]])
  })
})
