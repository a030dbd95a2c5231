/** Attacks with settings files: the rows of docs/attacks.md. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { settingsFile } from '../../e2e/attacks/tables/settings-file.ts'
import { refusal } from '../backup/computers.ts'
import { EMPTY, fileOf, HARBOUR, openWorkstation } from '../settings-file/workstations.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { attempts } from './attempts.ts'

async function expectRefused(content: unknown, code = 'invalid'): Promise<void> {
  const to = await openWorkstation()
  expect(await refusal(to.choose(fileOf(content)))).toMatchObject({ code })
  expect(to.accounts.list()).toEqual([])
}

attempts(settingsFile, {
  'fill the memory': () =>
    expectRefused(
      `{"format":"countersign-settings","version":1,${' '.repeat(50 * 1024 * 1024)}"accounts":[]}`,
      'too-large'
    ),
  'be a pipe that is waited for': async () => {
    const pipe = join(temporaryFolder(), 'Pipe.countersign-settings')
    execFileSync('mkfifo', [pipe])
    const to = await openWorkstation()
    expect(await refusal(to.choose(pipe))).toMatchObject({ code: 'bad-file' })
  },
  'bring a secret of someone else’s choice': () =>
    expectRefused({ ...EMPTY, accounts: [{ ...HARBOUR, authentication: { scheme: 'bearer', token: 'theirs' } }] }),
  'bring settings of a kind that isn’t in such files': () =>
    expectRefused({ ...EMPTY, retention: { documents: 30, trash: 10 } }),
  'be of a version that isn’t known': () => expectRefused({ ...EMPTY, version: 2, accounts: [HARBOUR] }),
  'bring the practice office’s colour for a real account': () =>
    expectRefused({ ...EMPTY, accounts: [{ ...HARBOUR, colour: '#b7791f' }] }),
  'be taken for what was here under the same name': async () => {
    const to = await openWorkstation()
    const authentication = { scheme: 'bearer', token: 'ours' } as const
    const own = { kind: 'service', name: 'Harbour', baseUrl: 'https://sign.ours.example', authentication } as const
    const { id } = await to.accounts.add(own)
    const before = to.accounts.get(id)
    await to.import(fileOf({ ...EMPTY, accounts: [{ ...HARBOUR, mark: 'XX' }] }))
    expect(to.accounts.list()).toEqual([before])
  },
  'send documents to a service that the organisation doesn’t allow': async () => {
    const to = await openWorkstation({ otherAccounts: false })
    await to.import(fileOf({ ...EMPTY, accounts: [HARBOUR] }))
    expect(to.accounts.list()).toEqual([])
  },
  'change how the counter is guarded while its settings are locked': async () => {
    const to = await openWorkstation()
    to.state.isCounterOpen = false
    await to.import(fileOf({ ...EMPTY, counter: { allowedOrigins: ['https://evil.example'] } }))
    expect(to.counter.read().allowedOrigins).toEqual([])
  },
  'do something else than was shown': async () => {
    const to = await openWorkstation()
    const own = { kind: 'service', name: 'Harbour', baseUrl: HARBOUR.address } as const
    const { id } = await to.accounts.add({ ...own, authentication: { scheme: 'bearer', token: 'ours' } })
    await to.accounts.update(id, { folders: ['InBox'] })
    const chosen = await to.choose(fileOf({ ...EMPTY, accounts: [HARBOUR], appearance: { zoom: 1.2 } }))
    expect(chosen?.changes).toHaveLength(1)
    await to.accounts.update(id, { folders: ['Eingang'] })
    await to.apply(chosen?.id ?? '').catch(() => undefined)
    expect(to.accounts.get(id).folders).toEqual(['Eingang'])
  }
})
