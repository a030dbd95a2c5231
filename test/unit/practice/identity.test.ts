import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  decodeList,
  type IDVerificationRecord,
  IDVerificationRecord as RecordSchema
} from '../../../src/shared/model/index.ts'
import { aForm, anotherSigner, answered, aSigner, only, practice, refusal } from './practice.ts'

const born = { UseIDData: true, IDData: [{ Label: 'Date of birth', Value: '1984-03-09', DataType: 'date' }] }

async function identified(signers: object[] = [aSigner({ ...born, MiddleName: 'Mārama' })]) {
  const office = practice()
  const sent = only(await office.sendForms(aForm({ Name: 'Tāmaki Makaurau authority', Signers: signers })))
  await office.submit(`${sent.signers[0]?.SigningKey}/identity`, { 'answer-0': '1984-03-09' })
  const download = (type: string) => office.get(`/Download/IDVerification/${sent.document.Reference}/${type}`)
  return { office, sent, download }
}

describe('ID-verification data as json', () => {
  it('has a record of each signer who has been identified', async () => {
    const { download, office, sent } = await identified([
      aSigner(born),
      anotherSigner(born),
      anotherSigner({ FirstName: 'Unasked' })
    ])
    const decoded = decodeList(RecordSchema, await answered(await download('json')))
    if (!decoded.ok) throw new Error(decoded.problem.message)
    expect(decoded.value.problems).toEqual([])
    expect(decoded.value.items.map((one) => one.UserFirstName)).toEqual(['Aroha'])
    const [record] = decoded.value.items
    expect(record).toMatchObject({
      FirstName: 'AROHA',
      LastName: 'PARATA',
      UserLastName: 'Parata',
      ExamingDate: new Date(office.now()).toISOString(),
      SelectedFrontIDImage: true
    })
    expect(Number(record?.FaceMatchScore)).toBeGreaterThan(0.4)
    expect((record?.FaceMatchResult === 'Passed') === record?.IsPassed).toBe(true)
    await office.submit(`${sent.signers[1]?.SigningKey}/identity`, { 'answer-0': '1984-03-09' })
    expect(await answered<unknown[]>(await download('JSON'))).toHaveLength(2)
    expect((await office.document(sent.document.Reference)).Signers?.map((one) => one.IDVerificationStatus)).toEqual([
      'Completed',
      'Completed',
      undefined
    ])
  })

  it('has complete PNG pictures, the same each time for one person and different for another', async () => {
    const { download } = await identified()
    const [record] = await answered<IDVerificationRecord[]>(await download('json'))
    const repeated = await answered<IDVerificationRecord[]>(await (await identified()).download('json'))
    const other = await answered<IDVerificationRecord[]>(
      await (await identified([aSigner({ ...born, FirstName: 'Wiremu' })])).download('json')
    )
    for (const name of ['PortraitImage', 'FrontIDImage', 'BackIDImage', 'SelectedIDImage'] as const) {
      const bytes = Buffer.from(record?.[name] ?? '', 'base64')
      expect(bytes.subarray(1, 4).toString()).toBe('PNG')
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      const data = bytes.subarray(41, 41 + bytes.readUInt32BE(33))
      expect(inflateSync(data)).toHaveLength((width * 3 + 1) * height)
      expect(repeated[0]?.[name]).toBe(record?.[name])
      expect(other[0]?.[name]).not.toBe(record?.[name])
    }
  })
})

describe('ID-verification data as pdf', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'report-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is a valid PDF of several pages, and names the person with their macrons', async () => {
    const { download } = await identified()
    const response = await download('pdf')
    expect(response.headers.get('content-type')).toBe('application/pdf')
    const file = join(folder, 'report.pdf')
    await writeFile(file, new Uint8Array(await response.arrayBuffer()))
    const run = promisify(execFile)
    await run('pdftoppm', ['-r', '30', '-png', file, join(folder, 'page')])
    expect((await readdir(folder)).filter((name) => name.endsWith('.png'))).toHaveLength(3)
    const { stdout } = await run('pdftotext', [file, '-'])
    expect(stdout).toContain('Tāmaki Makaurau authority')
    expect(stdout).toContain('Aroha Mārama Parata')
    expect(stdout).toContain('3 of 3')
    expect((await run('pdfimages', ['-list', file])).stdout.trim().split('\n').length).toBeGreaterThanOrEqual(5)
  })

  it('is refused for other kinds, unknown documents, and documents without an identity check', async () => {
    const { office, download } = await identified()
    expect(await refusal(await download('xml'))).toMatchObject({ status: 400, fields: ['IDVerificationDataType'] })
    expect(await refusal(await office.get('/Download/IDVerification/none/pdf'))).toMatchObject({
      status: 404,
      code: 'DocumentNotFound'
    })
    const waiting = only(await office.sendForms(aForm({ Signers: [aSigner(born)] })))
    const unidentified = only(await office.sendForms(aForm()))
    await office.sign(unidentified.signers[0]?.SigningKey)
    for (const { document } of [waiting, unidentified]) {
      for (const type of ['pdf', 'json']) {
        const response = await office.get(`/Download/IDVerification/${document.Reference}/${type}`)
        expect(await refusal(response)).toMatchObject({ status: 404, code: 'IDVerificationNotFound' })
      }
    }
  })
})
