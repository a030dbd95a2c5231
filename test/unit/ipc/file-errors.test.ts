import { expect, test } from 'vitest'
import { FileError, type FileErrorCode } from '../../../src/main/core/storage/file-error.ts'
import { asAppError } from '../../../src/main/ipc/errors.ts'
import { localErrorCodes } from '../../../src/shared/contract/index.ts'

const said: [FileErrorCode, RegExp][] = [
  ['no-space', /disk is full.*Free some space/],
  ['not-writable', /can’t be written to\. Choose another/],
  ['away', /isn’t there\..*connect that and try again/],
  ['too-deep', /Choose one with a shorter path/],
  ['outside', /leads out of it.*Remove the link/],
  ['in-use', /open\. Close it there/]
]

test.each(said)('a file that meets “%s” is told with what to do about it', (code, words) => {
  const { code: told, message } = asAppError(new FileError(code, 'EIO'))
  expect(localErrorCodes as readonly string[]).toContain(told)
  expect(message).toMatch(words)
  expect(message).not.toContain('EIO')
})
