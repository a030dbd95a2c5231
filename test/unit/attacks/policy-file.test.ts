/** Attacks with the organisation's policy file: the rows of docs/attacks.md. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ManagedSource } from '../../../src/main/core/organisation/managed.ts'
import {
  policyLocation,
  policyLocationAtStart,
  readPolicyFile
} from '../../../src/main/core/organisation/policy-file.ts'
import { MAX_POLICY_BYTES, readPolicy } from '../../../src/main/core/organisation/reading.ts'
import { LOCKABLE } from '../../../src/shared/contract/policy.ts'
import { aCertificate } from '../../contract/certificates.ts'
import { policyFile } from '../../e2e/attacks/tables/policy-file.ts'
import {
  KEY,
  macWith,
  number,
  policyOn,
  registryOf,
  registryValue,
  TYPES,
  text,
  type Value,
  windowsWith
} from '../organisation/managed-computers.ts'
import { policyOffice } from '../organisation/policies.ts'
import { attempts } from './attempts.ts'

const mine = process.getuid?.() ?? 0
const time = {
  after(_delay: number, task: () => void) {
    setImmediate(task)
    return () => undefined
  }
}

/** Checks that the file in the policy's place isn't used. @param owners the users that may own it */
async function expectNotTaken(
  change: (path: string, folder: string) => void = () => undefined,
  owners: readonly number[] = [mine]
): Promise<void> {
  const { put, path, folder } = policyOffice()
  put('{}')
  change(path, folder)
  expect(await readPolicyFile({ path, owners }, time)).toMatchObject({ state: 'unusable' })
}

const reads = (policy: unknown) => {
  const text = typeof policy === 'string' ? policy : JSON.stringify(policy)
  return readPolicy(new TextEncoder().encode(text)).ok
}
const account = { name: 'Office', address: 'https://sign.example.com', signIn: 'bearer' }

/** Checks that the whole file is rejected, although its valid part alone is accepted. */
function expectRefused(policy: unknown, right: unknown): void {
  expect(reads(right)).toBe(true)
  expect(reads(policy)).toBe(false)
}

const STRICT = { practiceOffice: false, signingOrigins: ['https://login.example.govt.nz'] }
/** Checks that all managed settings are rejected, although they are accepted without the wrong value. */
async function expectNoneOf(
  values: Record<string, Value>,
  more: Record<string, Record<string, Value>> = {}
): Promise<void> {
  expect(await policyOn(windowsWith({ removal: number(0) }))).toEqual({ removal: false })
  expect(await policyOn(windowsWith({ removal: number(0), ...values }, more))).toEqual([expect.objectContaining({})])
}

async function lockedAfter(happens: (office: ReturnType<typeof policyOffice>) => void, first: unknown = STRICT) {
  const office = policyOffice()
  office.put(first)
  await office.start()
  happens(office)
  const organisation = await office.start()
  return organisation.view().locked
}

attempts(policyFile, {
  'be another user’s': () => expectNotTaken(undefined, [mine + 1]),
  'be one that a group may write': () => expectNotTaken((path) => chmodSync(path, 0o664)),
  'be a link to a file of an administrator’s': () =>
    expectNotTaken((path, folder) => {
      renameSync(path, join(folder, 'other.json'))
      symlinkSync(join(folder, 'other.json'), path)
    }),
  'be a pipe': () =>
    expectNotTaken((path) => {
      rmSync(path)
      execFileSync('mkfifo', [path])
    }),
  'be larger than any policy': () =>
    expectNotTaken((path) => appendFileSync(path, Buffer.alloc(MAX_POLICY_BYTES - 1, ' '))),
  'lie where a switch says': () => {
    const start = { argv: ['countersign', '--policy-file=/tmp/mine.json'], platform: 'linux' } as const
    const place = policyLocationAtStart(start, { isPackaged: true }, { homedir: '/home/grace', uid: 1000 })
    expect(place).toEqual(policyLocation('linux', '/home/grace'))
  },
  'be exchanged while it is read': async () => {
    const { put, path } = policyOffice()
    put('{}')
    let writes = 0
    const place = {
      path,
      // Read after the file is checked, and before its content is read.
      get owners() {
        put({ practiceOffice: true, $schema: 'x'.repeat(++writes) })
        return [mine]
      }
    }
    expect(await readPolicyFile(place, time)).toMatchObject({ state: 'unusable' })
  },

  'be set in the user’s own part of the registry': async () => {
    const keys = { [KEY.replace('HKLM', 'HKCU')]: { removal: number(1) } }
    expect(await policyOn({ kind: 'registry', path: KEY, registry: () => registryOf(keys) })).toBe('missing')
  },
  'be a profile’s file of another user': async () => {
    const place = macWith({ removal: false })
    expect(await policyOn(place)).toEqual({ removal: false })
    expect(await policyOn({ ...place, owners: [mine + 1] })).toEqual([expect.objectContaining({})])
  },
  'be values of the registry without end': async () => {
    const long = registryValue(TYPES.text, Buffer.alloc(2 * MAX_POLICY_BYTES + 2, ' '))
    await expectNoneOf({ sharedFile: long })
    await expectNoneOf(Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`setting${index}`, number(0)])))
  },
  'be read half, while its values are written': async () => {
    const values: Record<string, Value> = { practiceOffice: number(0) }
    const write = () => Object.assign(values, { removal: number(0) })
    const place: ManagedSource = { kind: 'registry', path: KEY, registry: () => registryOf({ [KEY]: values }, write) }
    expect(await policyOn(place)).toEqual({ practiceOffice: false, removal: false })
  },
  'be beside what management sets': async () => {
    const office = policyOffice()
    office.put({ practiceOffice: true, removal: true })
    const organisation = await office.start(windowsWith({ removal: number(0) }))
    expect(organisation.policy).toEqual({ removal: false })
  },

  'lock nothing by a name that is misspelt': () => expectRefused({ otherAcounts: false }, { otherAccounts: false }),
  'lock nothing by a value that isn’t one': () => expectRefused({ removal: 'false' }, { removal: false }),
  'say one thing first and another last': () => expectRefused('{"removal":false,"removal":true}', '{"removal":false}'),
  'be nested so deeply that reading it ends the program': () =>
    expectRefused(`{"accounts":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, { accounts: [] }),
  'hide something in bytes that are no text': () => {
    const bytes = Buffer.concat([Buffer.from('{"$schema":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
    expect(readPolicy(bytes).ok).toBe(false)
  },
  'lead an account past encryption': () =>
    expectRefused({ accounts: [{ ...account, address: 'http://sign.example.com' }] }, { accounts: [account] }),
  'name every host for plain http': () => {
    expectRefused({ plainHttpHosts: ['*.office.example'] }, { plainHttpHosts: ['sign.office.example'] })
    expect(reads({ plainHttpHosts: ['sign.office.example:8080'] })).toBe(false)
  },
  'let signing pages open any address': () =>
    expectRefused({ signingOrigins: ['https://*.example.com'] }, { signingOrigins: ['https://login.example.com'] }),
  'make a server’s own certificate an authority': () => {
    const root = aCertificate({ name: 'Harbour Law Root', isAuthority: true })
    const server = aCertificate({ name: 'sign.office.example', by: root })
    expectRefused({ certificateAuthorities: [server.cert] }, { certificateAuthorities: [root.cert] })
  },
  'have a folder watched that it leads out to': () => {
    const watched = (folder: string) => ({ accounts: [account], dropFolders: [{ folder, account: 'Office' }] })
    expectRefused(watched('~/../../etc'), watched('~/scans'))
  },
  'carry an account’s secret': () =>
    expectRefused({ accounts: [{ ...account, token: 'of the office' }] }, { accounts: [account] }),
  'take updates by a key that is none': () => {
    const from = (key: string) => ({ updates: { feed: 'https://updates.example.com', key } })
    expectRefused(from('any'), from(Buffer.alloc(32, 7).toString('base64')))
  },
  'lock nothing by a value of the registry of another type': async () => {
    await expectNoneOf({ practiceOffice: registryValue(TYPES.bytes, Buffer.from([0, 0, 0, 0])) })
    await expectNoneOf({ practiceOffice: text('false') })
    await expectNoneOf({ practiceOffice: registryValue(TYPES.number, Buffer.from([0])) })
  },
  'lock nothing by a key of the registry that is none': () =>
    expectNoneOf({}, { [`${KEY}\\counter`]: { files: number(0) } }),
  'say one thing as a group and another as its part': () =>
    expectNoneOf({ counter: text('{"files":true}'), 'counter.files': number(0) }),
  'say one thing first and another last within a value': () =>
    expectNoneOf({ counter: text('{"files":false,"files":true}') }),

  'be lifted by removing it': async () => {
    expect(await lockedAfter((office) => office.remove())).toEqual(['practiceOffice', 'signingOrigins'])
  },
  'be lifted by breaking it': async () => {
    expect(await lockedAfter((office) => office.put('{"practiceOffice": true,'))).toEqual([
      'practiceOffice',
      'signingOrigins'
    ])
  },
  'be lifted by removing what management had set': async () => {
    const office = policyOffice()
    await office.start(windowsWith({ removal: number(0) }))
    expect((await office.start(windowsWith({}))).view().locked).toEqual(['removal'])
  },
  'set nothing by being broken from the first day': async () => {
    expect(await lockedAfter(() => undefined, '{"practiceOffice": true,')).toEqual(LOCKABLE)
  }
})
