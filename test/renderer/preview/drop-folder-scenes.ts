/** Drop folders in every state of Settings that must be looked at. */
import type { DropFolder, DroppedFile } from '../../../src/shared/contract/views.ts'
import { form, forms } from '../../fixtures/compositions.ts'
import { type FakeApi, fakeApi } from '../fake-api.ts'

const MINUTE = 60_000

export const dropFolderScenes: Record<string, () => FakeApi> = {
  'drop-folders': () => {
    const api = fakeApi({ now: () => Date.now() })
    const { state } = api.control
    const accountId = 'practice'
    const at = (minutes: number) => Date.now() - minutes * MINUTE
    state.presets = [
      {
        id: 'preset-1',
        name: 'New starter pack',
        kind: 'form-direct',
        title: 'Tax file declaration',
        updatedAt: at(900),
        composition: forms({ items: [form()] })
      }
    ]
    state.dropFolders = [
      folder({
        id: 'f1',
        label: 'Payroll',
        place: '/Volumes/Office/Drop/Payroll',
        sends: true,
        presetId: 'preset-1',
        taken: 1284,
        failed: 3,
        lastTakenAt: at(12)
      }),
      folder({
        id: 'f2',
        label: 'Scans',
        place: '\\\\files.example.org\\office\\Scans of the northern branch',
        state: 'missing',
        taken: 8,
        lastTakenAt: at(3000)
      }),
      folder({ id: 'f3', label: 'Leases', place: '/home/office/Leases', state: 'paused' })
    ].map((one) => ({ ...one, accountId }))
    state.droppedFiles = [
      file({ id: 'h1', name: 'starters-week-47.csv', at: at(12), outcome: 'batch', count: 42, batchId: 'b1' }),
      file({ id: 'h2', name: 'corrections.csv', at: at(95), outcome: 'drafts', count: 3, draftIds: ['a', 'b', 'c'] }),
      file({ id: 'h3', name: 'declaration of Mere Tamati.json', at: at(1500), count: 1, draftIds: ['a'] }),
      file({
        id: 'h4',
        name: 'export-from-the-payroll-system-that-someone-renamed-by-hand-and-then-renamed-again.json',
        at: at(1600),
        outcome: 'failed',
        count: 0,
        error: {
          code: 'invalid',
          message: 'This request can’t be used: Forms[0].Signers[0].Email isn’t an e-mail address.'
        }
      })
    ]
    return api
  }
}

function folder(changes: Partial<DropFolder>): DropFolder {
  return {
    id: 'f',
    accountId: 'practice',
    label: '',
    place: '',
    state: 'watching',
    sends: false,
    taken: 0,
    failed: 0,
    ...changes
  }
}

function file(changes: Partial<DroppedFile>): DroppedFile {
  return { id: 'h', folderId: 'f1', name: '', at: 0, outcome: 'drafts', count: 0, draftIds: [], ...changes }
}
