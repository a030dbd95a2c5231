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
    expect(everything().some(({ document }) => document.Reference === reference)).toBe(false)
    expect(work.mirror.get(work.accountId, reference)?.goneAt).toBeGreaterThan(0)

    if (removed) documents[reference] = removed
    await work.watch.refresh(work.accountId)
    expect(work.mirror.get(work.accountId, reference)?.goneAt).toBeUndefined()
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
    await work.outbox.start(
      work.drafts.save(
        work.accountId,
        forms({ items: [form({ Name: 'Üse 100% care', signers: [signer({ LastName: 'Ōtaki' })] })] })
      ).id
    )
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
