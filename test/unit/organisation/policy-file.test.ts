import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  policyLocation,
  policyLocationAtStart,
  readPolicyFile
} from '../../../src/main/core/organisation/policy-file.ts'
import { policyOffice } from './policies.ts'

const mine = process.getuid?.() ?? 0
/** A delay that ends at once, calling `happens`. */
const meanwhile = (happens: () => void = () => undefined) => ({
  after(_delay: number, task: () => void) {
    happens()
    setImmediate(task)
    return () => undefined
  }
})

function office() {
  const made = policyOffice()
  made.put('{}')
  const read = (owners: readonly number[] | 'others' = [mine], time = meanwhile()) =>
    readPolicyFile({ path: made.path, owners }, time)
  return { ...made, read }
}
const unusable = (message: string) => ({ state: 'unusable', problem: { message } })

test('a file that only its owner can write is read completely', async () => {
  const { read } = office()
  expect(await read()).toEqual({ state: 'read', bytes: new TextEncoder().encode('{}') })
})

test('a missing folder counts as no file', async () => {
  const { folder } = office()
  const place = { path: join(folder, 'nowhere', 'policy.json'), owners: [mine] }
  expect(await readPolicyFile(place, meanwhile())).toEqual({ state: 'missing' })
})

describe('a file that an ordinary user could have put there is rejected', () => {
  test('a file of another owner', async () => {
    const { read } = office()
    expect(await read([mine + 1])).toEqual(unusable('The file isn’t an administrator’s. Make root its owner.'))
  })

  test.each([0o664, 0o646, 0o666])('a file that others can write, %o', async (mode) => {
    const { read, path } = office()
    chmodSync(path, mode)
    expect(await read()).toEqual(unusable('Users can change the file. Let only administrators write it.'))
  })

  test('on a system without owner numbers, a file that the current user can write', async () => {
    const { read } = office()
    expect(await read('others')).toEqual(unusable('Users can change the file. Let only administrators write it.'))
  })

  test('a file that its owner marked as read-only', async () => {
    const { read, path } = office()
    chmodSync(path, 0o444)
    expect(await read('others')).toEqual(
      unusable('The file is marked as read-only. Remove the mark, and let only administrators write the file.')
    )
  })

  test('a link, even to a usable file', async () => {
    const { read, path, folder } = office()
    renameSync(path, join(folder, 'other.json'))
    symlinkSync(join(folder, 'other.json'), path)
    expect(await read()).toEqual(unusable('The file is a link. Put the file itself there.'))
  })

  test('a folder', async () => {
    const { read, path } = office()
    rmSync(path)
    mkdirSync(path)
    expect(await read()).toEqual(unusable('This isn’t a file.'))
  })

  test('a pipe, without waiting for it', async () => {
    const { read, path } = office()
    rmSync(path)
    execFileSync('mkfifo', [path])
    expect(await read()).toEqual(unusable('This isn’t a file.'))
  })

  test('50 MB, without reading them', async () => {
    const { read, path } = office()
    truncateSync(path, 50 * 1024 * 1024)
    expect(await read()).toEqual(unusable('The file is larger than 1 MB.'))
  })
})

describe('a file being written while it is read', () => {
  test('is read once it stops changing', async () => {
    const { path } = office()
    // The file grows during the first two reads, and is unchanged at the third.
    let writes = 0
    const write = () => {
      if (++writes <= 2) appendFileSync(path, ' ')
    }
    const place = {
      get path() {
        return path
      },
      get owners() {
        write()
        return [mine]
      }
    }
    expect(await readPolicyFile(place, meanwhile())).toMatchObject({ state: 'read' })
    expect(writes).toBeGreaterThan(2)
  })

  test('is given up if it never stops changing', async () => {
    const { path } = office()
    let writes = 0
    const place = {
      path,
      get owners() {
        writeFileSync(path, `{}${' '.repeat(++writes)}`)
        return [mine]
      }
    }
    expect(await readPolicyFile(place, meanwhile())).toEqual(unusable('The file was being written while it was read.'))
  })
})

describe('the default location', () => {
  test.each([
    ['linux', '/home/grace', '/etc/countersign/policy.json'],
    ['darwin', '/Users/grace', '/Library/Application Support/Countersign/policy.json'],
    ['win32', 'C:\\Users\\grace', 'C:\\ProgramData\\Countersign\\policy.json']
  ] as const)('on %s', (platform, home, path) => {
    expect(policyLocation(platform, home).path).toBe(path)
  })

  test('another location is accepted only from a user who runs the sources', () => {
    const start = { argv: ['countersign', '--policy-file=/tmp/mine.json'], platform: 'linux' } as const
    const user = { homedir: '/home/grace', uid: 1000 }
    expect(policyLocationAtStart(start, { isPackaged: false }, user)).toEqual({
      path: '/tmp/mine.json',
      owners: [1000]
    })
    expect(policyLocationAtStart(start, { isPackaged: true }, user)).toEqual({
      path: '/etc/countersign/policy.json',
      owners: [0]
    })
  })
})
