import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { IDLE, openReadings, type Readings } from '../../../src/main/core/identity/readings.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'
import { jpegFile, pngFile } from './picture-files.ts'

let work: Workplace
let server: ReturnType<typeof createServer>
let accountId: string
let readings: Readings
let answer: (response: ServerResponse) => void
let requests: string[]
let noted: AuditNote[]
let cleared: [string, string][]
let now: number
let timers: { at: number; task: () => void }[]

beforeEach(async () => {
  work = await openWorkplace()
  requests = []
  noted = []
  cleared = []
  now = 0
  timers = []
  server = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const account = await work.accounts.add({
    kind: 'service',
    name: 'Identity',
    baseUrl: `http://127.0.0.1:${port}`,
    authentication: { scheme: 'none' }
  })
  accountId = account.id
  let next = 0
  readings = openReadings({
    clientOf: work.clients.of,
    nameOf: async (_account, reference) => (reference === 'REF' ? 'Deed of gift' : undefined),
    note: (record) => noted.push(record),
    newId: () => `r${++next}`,
    time: {
      now: () => now,
      after(delay, task) {
        const timer = { at: now + delay, task }
        timers.push(timer)
        return () => {
          timers = timers.filter((one) => one !== timer)
        }
      }
    },
    cleared: (reading, why) => cleared.push([reading, why])
  })
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await work.close()
})

function pass(milliseconds: number): void {
  now += milliseconds
  const due = timers.filter(({ at }) => at <= now)
  timers = timers.filter(({ at }) => at > now)
  for (const { task } of due) task()
}
const answers = (json: unknown) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
const portrait = jpegFile(32, 40)
const front = pngFile(64, 40)
const record = {
  PortraitImage: portrait.toString('base64'),
  FrontIDImage: `data:image/png;base64,${front.toString('base64')}`,
  SelectedIDImage: front.toString('base64'),
  BackIDImage: '',
  FirstName: 'MERE',
  LastName: ' PARATA ',
  IsPassed: 'True',
  FaceMatchScore: 0.9641,
  Attentions: [{ Name: 'Expiry', Detail: 'Soon' }, null, { Name: '', Detail: '' }],
  ChipRead: 'yes',
  LivenessFrame: 'A'.repeat(500_000)
}
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no failure',
    (error) => error.appError?.code ?? error.code
  )

describe('reading identity data', () => {
  test.each([
    ['other members', [{ Title: 'Card altered', Code: 7 }], [{ name: '', detail: 'Title: Card altered · Code: 7' }]],
    ['a code alone', [{ Name: '', Detail: null, Code: 'TAMPER' }], [{ name: '', detail: 'Code: TAMPER' }]],
    [
      'texts',
      ['Glare', 'Blur'],
      [
        { name: '', detail: 'Glare' },
        { name: '', detail: 'Blur' }
      ]
    ],
    ['one text', 'Glare', [{ name: '', detail: 'Glare' }]],
    ['a single object', { name: 'Glare', DETAIL: { on: 'front' } }, [{ name: 'Glare', detail: '{"on":"front"}' }]]
  ])('shows points of attention, even if they are sent as %s', async (_form, came, shown) => {
    answer = answers([{ ...record, Attentions: came }])
    const reading = await readings.read(accountId, 'REF')
    expect(reading.leftOut).toBe(0)
    expect(reading.records[0]?.attentions).toEqual(shown)
  })

  test('counts points of attention beyond those shown', async () => {
    answer = answers([{ ...record, Attentions: Array.from({ length: 500 }, (_, index) => ({ Name: `P${index}` })) }])
    const [view] = (await readings.read(accountId, 'REF')).records
    expect([view?.attentions.length, view?.moreAttentions]).toEqual([200, 300])
  })

  test('shows the data, keeps its pictures separate, and records no content', async () => {
    answer = answers([record])
    const reading = await readings.read(accountId, 'REF')
    expect(reading).toMatchObject({ reference: 'REF', documentName: 'Deed of gift', leftOut: 0, clearsAfter: IDLE })
    const [view] = reading.records
    expect(view?.texts).toEqual({ firstName: 'MERE', lastName: 'PARATA', faceMatchScore: '0.9641' })
    expect(view?.isPassed).toBe(true)
    expect(view?.attentions).toEqual([{ name: 'Expiry', detail: 'Soon' }])
    expect(view?.pictures).toMatchObject([
      { name: 'portrait', isShown: true, type: 'image/jpeg', width: 32, height: 40 },
      { name: 'front', isShown: true, type: 'image/png' },
      { name: 'selected', isShown: true, sameAs: 'front' }
    ])
    expect(JSON.stringify(reading)).not.toContain(record.PortraitImage)
    expect(view?.others[0]).toEqual({ name: 'ChipRead', value: 'yes' })
    expect(view?.others[1]?.value.length).toBeLessThan(2100)
    const picture = readings.picture(reading.id, 0, 'portrait')
    expect(picture.type).toBe('image/jpeg')
    expect(Buffer.compare(picture.bytes, portrait)).toBe(0)
    expect(noted).toEqual([
      {
        what: 'identity-data-fetched',
        documentReference: 'REF',
        documentName: 'Deed of gift',
        detail: { as: 'records', records: '1' }
      }
    ])
    expect(requests.every((url) => url.toLowerCase().endsWith('/download/idverification/ref/json'))).toBe(true)
  })

  test('shows an empty record as empty', async () => {
    answer = answers([{}])
    const { records } = await readings.read(accountId, 'other')
    expect(records).toEqual([{ texts: {}, pictures: [], attentions: [], others: [] }])
    expect(noted[0]).toMatchObject({ documentName: 'other' })
  })

  test('reports what can’t be shown, and doesn’t return it', async () => {
    answer = answers([{ PortraitImage: Buffer.from('<svg onload="x()"></svg>').toString('base64') }])
    const { id, records } = await readings.read(accountId, 'REF')
    expect(records[0]?.pictures).toEqual([{ name: 'portrait', isShown: false, why: expect.stringMatching(/SVG/) }])
    expect(() => readings.picture(id, 0, 'portrait')).toThrow()
    expect(() => readings.copyOf(id, 0, 'portrait')).toThrow()
  })

  test('skips and counts an unreadable record', async () => {
    answer = answers([{ FirstName: { no: 'text' } }, record])
    const { records, leftOut } = await readings.read(accountId, 'REF')
    expect([records.length, leftOut]).toEqual([1, 1])
    expect(noted[0]?.detail).toEqual({ as: 'records', records: '2' })
  })

  test('records nothing if it failed', async () => {
    answer = (response) => response.writeHead(404).end()
    expect(await code(readings.read(accountId, 'REF'))).not.toBe('no failure')
    expect(noted).toEqual([])
    expect(readings.count()).toBe(0)
  })
})

describe('identity data is cleared from memory', () => {
  async function opened(reference = 'REF') {
    answer = answers([record])
    const { id } = await readings.read(accountId, reference)
    return { id, bytes: readings.picture(id, 0, 'portrait').bytes }
  }
  const isWiped = (bytes: Uint8Array) => bytes.every((byte) => byte === 0)

  test('after five minutes without use, which any use restarts', async () => {
    const { id, bytes } = await opened()
    pass(IDLE - 1)
    readings.keepAlive(id)
    pass(IDLE - 1)
    expect(isWiped(bytes)).toBe(false)
    readings.picture(id, 0, 'front')
    pass(IDLE - 1)
    expect(cleared).toEqual([])
    pass(1)
    expect(cleared).toEqual([[id, 'idle']])
    expect(isWiped(bytes)).toBe(true)
    expect(() => readings.keepAlive(id)).toThrow()
  })

  test('when its page is left, without a notice', async () => {
    const { id, bytes } = await opened()
    readings.close(id)
    readings.close(id)
    expect([isWiped(bytes), readings.count(), cleared.length, timers.length]).toEqual([true, 0, 0, 0])
  })

  test('when another account is chosen, but only that of other accounts', async () => {
    const { id, bytes } = await opened()
    readings.clearOthers([accountId])
    expect(isWiped(bytes)).toBe(false)
    readings.clearOthers(['another'])
    expect([isWiped(bytes), cleared]).toEqual([true, [[id, 'account']]])
  })

  test('when a person gets the screen, and a pending request is cancelled', async () => {
    const { bytes } = await opened()
    let finish = () => {}
    answer = (response) => {
      finish = () => answers([record])(response)
    }
    const underWay = code(readings.read(accountId, 'REF'))
    while (requests.length < 2) await new Promise((wait) => setTimeout(wait, 5))
    readings.clearAll('away')
    finish()
    expect(await underWay).toBe('cancelled')
    expect([isWiped(bytes), readings.count(), noted.length]).toEqual([true, 0, 1])
  })

  test('when too many are open, the least recently used first', async () => {
    const first = await opened()
    const others = [first]
    for (let more = 0; more < 3; more++) {
      pass(1000)
      others.push(await opened())
    }
    pass(1000)
    readings.keepAlive(first.id)
    await opened()
    expect(cleared).toEqual([[others[1]?.id, 'others']])
    expect(readings.count()).toBe(4)
  })

  test('but a picture being saved stays complete', async () => {
    const { id } = await opened()
    const saving = readings.copyOf(id, 0, 'front')
    readings.close(id)
    expect(Buffer.compare(saving, front)).toBe(0)
  })
})
