/** The counter against the real service interface over HTTP: what was sent is signed and read. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Counter } from '../../../src/main/core/counter/counter.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'
import { BOUNDS, type Office, openOffice, PIN } from './office.ts'

let work: Workplace
let counter: Counter
/** Fakes the page, the PIN and the screen; the service is real. */
let office: Office

beforeEach(async () => {
  work = await openWorkplace()
  office = openOffice({})
  const { accountId } = work
  const two = [signer(), signer({ key: 's2', FirstName: 'Wiremu', Email: 'wiremu@example.com' })]
  await work.send(forms({ embedded: true, items: [form({ signers: two })] }))
  await work.polling.refresh(accountId)
  const [first] = await work.ask('waitingHere', { accountId })
  const sent = await work.ask('get', { accountId, reference: first?.documentReference ?? '' })
  const { origin } = new URL(sent?.document.Signers?.[0]?.SigningKey ?? '')
  counter = new Counter({
    ...office.deps,
    accountId: () => accountId,
    waitingHere: () => work.ask('waitingHere', { accountId, withoutLink: true }),
    documentOf: (_account, reference) => work.ask('get', { accountId, reference }),
    refresh: () => work.polling.refresh(accountId),
    account: () => ({ kind: 'practice', baseUrl: origin }),
    // Pauses are shortened. Timeouts keep their length, however slow this machine is.
    time: { ...systemTime, after: (delay, task) => systemTime.after(delay < 10_000 ? delay / 100 : delay, task) },
    settings: () => ({ ...office.settings, idle: { warnAfter: 3600, coverAfter: 3600, endAfter: 3600 } })
  })
})
afterEach(async () => {
  await counter.end()
  await work.close()
})

async function beginSession() {
  const [first] = await counter.queue()
  const documentReference = first?.documentReference ?? ''
  const turns = [0, 1].map((at) => ({ documentReference, signer: at, evidence: [] }))
  const { id } = await counter.start({ turns, allowsCamera: false })
  return { id, documentReference, signers: work.practice.state.documents[documentReference]?.signers ?? [] }
}

test('all signers whose turn it is wait, and the offer names the other signer', async () => {
  const queue = await counter.queue()
  expect(queue.map(({ signerName }) => signerName)).toEqual(['Mere Tamati', 'Wiremu Tamati'])
  const offer = await counter.offer(queue[0]?.documentReference ?? '', 0)
  expect(offer.entries.map(({ signerName, after }) => [signerName, after])).toEqual([
    ['Mere Tamati', []],
    ['Wiremu Tamati', []]
  ])
  expect(JSON.stringify([queue, offer])).not.toContain('/sign/')
})

test('two people sign in turn with the service’s links, and it reports both as signed', async () => {
  const { id, signers } = await beginSession()
  for (const one of signers) {
    await counter.begin(id)
    counter.show(id, BOUNDS)
    expect(office.page()?.turn.url).toContain(`/sign/${one.key}`)
    expect(office.page()?.turn.practiceOrigin).toBe(new URL(office.page()?.turn.url ?? '').origin)
    one.status = 'Signed'
    await counter.finish(id)
    await counter.next(id)
  }
  expect(counter.state()).toMatchObject({ phase: 'return' })
  expect(counter.state()?.turns.map(({ outcome }) => outcome)).toEqual([{ signed: 'signed' }, { signed: 'signed' }])
  expect(JSON.stringify([counter.state(), office.notes, office.marker])).not.toContain('/sign/')
  expect((await counter.unlock(id, PIN)).phase).toBe('ended')
  expect(await counter.queue()).toEqual([])
})

test('while the service can’t be read, nothing is reported as signed', async () => {
  const { id, signers } = await beginSession()
  await counter.begin(id)
  const [first] = signers
  if (!first) throw new Error('the practice office lost the document')
  first.status = 'Signed'
  work.line.setFault('rubbish')
  await counter.finish(id)
  expect(counter.state()?.turns[0]?.outcome).toMatchObject({ signed: 'unknown', error: { code: 'not-json' } })
  work.line.setFault('pass')
  await work.polling.refresh(work.accountId)
  await counter.documentsChanged(work.accountId)
  expect(counter.state()?.turns[0]?.outcome).toEqual({ signed: 'signed' })
})
