/** A path that a person or a policy names can be anything: what isn't a file is reported, and never blocks. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readAppointments } from '../../../src/main/core/appointments/appointment-files.ts'
import { openSealed } from '../../../src/main/core/backup/sealed-file.ts'
import { readFileBytes } from '../../../src/main/core/bulk/open-file.ts'
import { openChosen, readChosen } from '../../../src/main/core/storage/chosen-file.ts'
import { officeHandlers } from '../../../src/main/ipc/office.ts'
import { refusal } from '../backup/computers.ts'
import { temporaryFolder } from './folders.ts'

/** Returns a pipe that nobody writes to. */
function pipe(name = 'Pipe'): string {
  const path = join(temporaryFolder(), name)
  execFileSync('mkfifo', [path])
  return path
}

const officeChoosing = (path: string) =>
  officeHandlers({
    membership: {} as never,
    newId: () => 'chosen',
    note: () => undefined,
    mustBeOpen: async () => undefined,
    chooseFiles: async () => [path]
  })['office.chooseAuthority'](undefined, { from: 'office', stillAsking: () => true })

describe('a pipe without a writer isn’t waited for', () => {
  test.each<[string, (path: string) => Promise<unknown>]>([
    ['a file named by a policy or a person', openChosen],
    ['a file that is read completely', (path) => readChosen(path, 10)],
    ['a backup', openSealed],
    ['a sheet', readFileBytes],
    ['appointments', (path) => readAppointments({ path, fileName: 'Pipe', now: 0, zone: 'UTC' } as never)],
    ['a certificate of the office’s server', officeChoosing]
  ])('in the place of %s', async (_, read) => {
    expect(await refusal(read(pipe()))).toMatchObject({ code: 'bad-file', message: 'This isn’t a file.' })
  })
})

test('a folder and a device are reported as such', async () => {
  expect(await refusal(openChosen(temporaryFolder()))).toMatchObject({ message: 'This is a folder.' })
  expect(await refusal(openChosen('/dev/zero'))).toMatchObject({ message: 'This isn’t a file.' })
})

test('a file is read completely, but only up to its limit', async () => {
  const path = join(temporaryFolder(), 'File')
  writeFileSync(path, 'ten letter')
  expect((await readChosen(path, 10)).toString()).toBe('ten letter')
  expect(await refusal(readChosen(path, 9))).toMatchObject({ code: 'too-large' })
  expect(await refusal(readChosen(`${path}s`, 9))).toMatchObject({ code: 'gone' })
})
