import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { openReadings, type Readings } from '../../../src/main/core/identity/readings.ts'
import { identityHandlers } from '../../../src/main/ipc/identity.ts'
import { type IDVerificationRecord, IDVerificationRecord as Schema } from '../../../src/shared/model/index.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'
import { jpegFile } from './picture-files.ts'

let work: Workplace
let folder: string
let readings: Readings
let noted: AuditNote[]
let chosenPath: string | undefined
let suggestions: string[]
let whileChoosing: () => void
let handlers: ReturnType<typeof identityHandlers>
const portrait = jpegFile(32, 40)
const records: IDVerificationRecord[] = [Schema.parse({ PortraitImage: portrait.toString('base64') })]
const context = { from: 'office' as const, stillAsking: () => true }

beforeEach(async () => {
  work = await openWorkplace()
  folder = await mkdtemp(join(tmpdir(), 'countersign-identity-'))
  noted = []
  suggestions = []
  whileChoosing = () => {}
  const note = (record: AuditNote) => void noted.push(record)
  readings = openReadings({
    clientOf: async () => ({ getIDVerification: async () => ({ items: records, problems: [] }) }),
    nameOf: async () => 'Deed: ../../gift',
    note,
    newId: () => 'r1',
    time: { now: () => 0, after: () => () => {} },
    cleared: () => {}
  })
  await work.accounts.add({
    kind: 'service',
    name: 'Identity',
    baseUrl: 'http://127.0.0.1:9',
    authentication: { scheme: 'none' }
  })
  handlers = identityHandlers({
    accounts: work.accounts,
    readings,
    note,
    chooseSaveFile: async (_title, suggested) => {
      suggestions.push(suggested)
      whileChoosing()
      return chosenPath
    }
  })
})
afterEach(async () => {
  await rm(folder, { recursive: true })
  await work.close()
})

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no failure',
    (error) => error.appError?.code
  )
const picture = { reading: 'r1', record: 0, name: 'portrait' as const }

describe('saving a picture', () => {
  test('writes it unchanged to the chosen file under a safe name, and is recorded', async () => {
    await handlers['identity.read']({ reference: 'REF' }, context)
    chosenPath = join(folder, 'mere')
    const saved = await handlers['identity.savePicture'](picture, context)
    expect(saved).toEqual({ label: 'mere.jpg' })
    expect(Buffer.compare(await readFile(join(folder, 'mere.jpg')), portrait)).toBe(0)
    expect(suggestions[0]).toMatch(/^Deed_[^/\\]*gift – portrait\.jpg$/)
    expect(noted.at(-1)).toMatchObject({
      what: 'identity-data-fetched',
      documentReference: 'REF',
      detail: { as: 'saved-picture', picture: 'portrait', file: 'mere.jpg' }
    })
  })

  test('does nothing and records nothing if cancelled', async () => {
    await handlers['identity.read']({ reference: 'REF' }, context)
    chosenPath = undefined
    expect(await handlers['identity.savePicture'](picture, context)).toBeNull()
    expect([await readdir(folder), noted.length]).toEqual([[], 1])
  })

  test('fails if the data was cleared while the dialog was open', async () => {
    await handlers['identity.read']({ reference: 'REF' }, context)
    chosenPath = join(folder, 'mere')
    whileChoosing = () => readings.clearAll('idle')
    expect(await code(handlers['identity.savePicture'](picture, context))).toBe('gone')
    expect([await readdir(folder), noted.length]).toEqual([[], 1])
  })

  test('isn’t possible once the data was closed', async () => {
    await handlers['identity.read']({ reference: 'REF' }, context)
    await handlers['identity.close']({ reading: 'r1' }, context)
    expect(await code(handlers['identity.savePicture'](picture, context))).toBe('gone')
    expect(await code(handlers['identity.picture'](picture, context))).toBe('gone')
    expect(await code(handlers['identity.keep']({ reading: 'r1' }, context))).toBe('gone')
    expect(suggestions).toEqual([])
  })
})
