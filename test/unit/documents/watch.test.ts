import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { documentPage, documentRow } from '../../../src/main/core/documents/pages.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace('demo')
})
afterEach(() => work.close())

const list = (folder: string, search = '') =>
  work.mirror.page({ accountId: work.accountId, folder, search, offset: 0, limit: 500 })
const everything = () => ['InBox', 'Progress', 'Signed'].flatMap((folder) => list(folder).documents)

describe('the local copy of the folders', () => {
  test('is complete after a look, and says when it was true', async () => {
    await work.watch.refresh(work.accountId)
    expect(
      everything()
        .map(({ document }) => document.Reference)
        .sort()
    ).toEqual(Object.keys(work.practice.state.documents).sort())
    expect(work.mirror.lookedAt(work.accountId, 'Signed')).toBeLessThanOrEqual(work.time.now)
  })

  test('an answer equal to the last one changes nothing and tells nobody', async () => {
    await work.watch.refresh(work.accountId)
    work.changes.length = 0
    await work.watch.refresh(work.accountId)
    expect(work.changes).toEqual([])
  })

  test('survives the line going down, and says that it did', async () => {
    await work.watch.refresh(work.accountId)
    const before = list('Progress').total
    await work.line.close()
    await expect(work.watch.refresh(work.accountId)).rejects.toThrow()
    expect(list('Progress').total).toBe(before)
    expect(work.watch.troubleOf(work.accountId, 'Progress').problem?.code).toBe('refused')
    expect(work.watch.connectionOf(work.accountId)).toMatchObject({ state: 'offline' })
  })

  test('a page of rubbish empties nothing', async () => {
    await work.watch.refresh(work.accountId)
    const before = everything().length
    work.line.fault('rubbish')
    await expect(work.watch.refresh(work.accountId)).rejects.toMatchObject({ code: 'not-json' })
    expect(everything()).toHaveLength(before)
  })

  test('a document that left all folders is marked gone, not deleted, and comes back when it is shown again', async () => {
    await work.watch.refresh(work.accountId)
    const { documents } = work.practice.state
    const [reference = ''] = Object.keys(documents)
    const removed = documents[reference]
    delete documents[reference]
    await work.watch.refresh(work.accountId)
    // It may have been on its way from one folder to another.
    expect(work.mirror.get(work.accountId, reference)?.goneAt).toBeUndefined()
    await work.watch.refresh(work.accountId)
    expect(everything().some(({ document }) => document.Reference === reference)).toBe(false)
    expect(work.mirror.get(work.accountId, reference)?.goneAt).toBeGreaterThan(0)

    if (removed) documents[reference] = removed
    await work.watch.refresh(work.accountId)
    expect(work.mirror.get(work.accountId, reference)?.goneAt).toBeUndefined()
  })

  test('a service that is down is news once, however often it is asked', async () => {
    await work.watch.refresh(work.accountId)
    work.line.fault('rubbish')
    await work.watch.refresh(work.accountId).catch(() => undefined)
    work.changes.length = 0
    await work.watch.refresh(work.accountId).catch(() => undefined)
    expect(work.changes).toEqual([])
  })

  test('what is asked after something happened is never answered by a look that began before it', async () => {
    const before = work.watch.refresh(work.accountId)
    const { id } = await work.send(forms())
    await work.watch.refresh(work.accountId)
    const [sent] = work.outbox.get(id).documents
    expect(work.mirror.get(work.accountId, sent?.reference ?? '')).toBeDefined()
    await before
  })

  test('an older answer does not overwrite what an action told since', async () => {
    await work.watch.refresh(work.accountId)
    const [known] = everything()
    if (!known) throw new Error('the demo office has no document')
    const begun = work.clock()
    work.mirror.takeOne(work.accountId, { ...known.document, DueDate: '2027-01-01T00:00:00Z' })
    await work.mirror.take(work.accountId, known.folder, [known.document], { begun, withLogs: false })
    expect(work.mirror.get(work.accountId, known.document.Reference)?.document.DueDate).toBe('2027-01-01T00:00:00Z')
  })

  test('a log is old once its document has changed, and is read again with it', async () => {
    await work.watch.readAllFolders(work.accountId)
    const reference = everything()[0]?.document.Reference ?? ''
    const isOld = () => work.mirror.get(work.accountId, reference)?.logsAreOld
    expect(isOld()).toBe(false)
    const record = work.practice.state.documents[reference]
    if (!record) throw new Error('the practice office lost the document')
    record.name = `${record.name} (amended)`
    await work.watch.refresh(work.accountId)
    expect(isOld()).toBe(true)
    await work.watch.readAllFolders(work.accountId)
    expect(isOld()).toBe(false)
  })

  test('logs are kept when a later look comes without them', async () => {
    await work.watch.readAllFolders(work.accountId)
    const withLog = everything().find(({ document }) => document.Logs?.length)
    await work.watch.refresh(work.accountId)
    const reference = withLog?.document.Reference ?? ''
    expect(work.mirror.get(work.accountId, reference)?.document.Logs).toEqual(withLog?.document.Logs)
    expect(withLog).toBeDefined()
  })

  test('is searched by name, signer and reference, whatever the case, and percent signs are letters', async () => {
    await work.send(forms({ items: [form({ Name: 'Üse 100% care', signers: [signer({ LastName: 'Ōtaki' })] })] }))
    await work.watch.refresh(work.accountId)
    const found = (words: string) =>
      ['InBox', 'Progress'].flatMap((folder) => list(folder, words).documents.map(({ document }) => document.Name))
    expect(found('100% CARE')).toEqual([expect.stringContaining('100% care')])
    expect(found('ōtaki mere')).toHaveLength(1)
    expect(found('%')).toHaveLength(1)
    expect(found('nobody of this name')).toEqual([])
  })
})

describe('what the screens are shown', () => {
  test('holds no signing link and no password', async () => {
    await work.watch.readAllFolders(work.accountId)
    const kept = JSON.stringify(everything())
    expect(['SigningKey', 'Password'].filter((name) => !kept.includes(`"${name}"`))).toEqual([])
    const shown = JSON.stringify(
      everything().map((mirrored) => [documentRow(mirrored), documentPage(mirrored, [mirrored])])
    )
    const secrets = everything().flatMap(({ document }) =>
      (document.Signers ?? []).flatMap((one) =>
        [one.SigningKey, one.VideoConfirmationDetail?.Password].filter((secret) => secret !== undefined)
      )
    )
    expect(secrets.length).toBeGreaterThan(0)
    expect(secrets.filter((secret) => shown.includes(secret))).toEqual([])
  })
})
