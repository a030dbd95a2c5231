import { expect, test } from 'vitest'
import { blankComposition } from '../../src/shared/composition/composition.ts'
import type { DraftView } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { sendOf } from './people.ts'

const composition = blankComposition('form-direct', 'a')
const newId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

function draft(change: Partial<DraftView> = {}): DraftView {
  const summary = { kind: composition.kind, title: '', who: '', updatedAt: 0 }
  return { id: 'draft-1', accountId: 'practice', ...summary, composition, ...change }
}

const codeOf = (result: { ok: true } | { ok: false; error: { code: string } }) => (result.ok ? 'ok' : result.error.code)

test.each([
  ['in another account', { drafts: [draft({ accountId: 'harbour' })] }, 'gone'],
  ['in the trash', { drafts: [draft({ trashedAt: 1 })] }, 'gone'],
  ['that was deleted', { drafts: [] }, 'gone'],
  [
    'queued in the outbox',
    { drafts: [draft()], sends: [sendOf({ id: 's', draftId: 'draft-1', state: 'sending' })] },
    'busy'
  ],
  ['that can be edited', { drafts: [draft()] }, 'ok']
])('the made-up office answers a save of a draft %s like the main process', async (_words, state, code) => {
  expect(codeOf(await fakeApi(state).drafts.save({ id: 'draft-1', composition }))).toBe(code)
})

test('the made-up office doesn’t return another account’s draft', async () => {
  const api = fakeApi({ drafts: [draft({ accountId: 'harbour' })] })
  expect(codeOf(await api.drafts.get({ id: 'draft-1' }))).toBe('gone')
})

test('the made-up office creates one draft for a repeated first save', async () => {
  const api = fakeApi()
  await api.drafts.save({ newId, composition })
  await api.drafts.save({ newId, composition })
  expect(api.control.state.drafts.map((one) => one.id)).toEqual([newId])
})
