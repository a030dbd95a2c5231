import { expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { FileError, type FileErrorCode } from '../../../src/main/core/storage/file-error.ts'
import { errorText, localErrorCodes } from '../../../src/shared/contract/errors.ts'

const explanations: [FileErrorCode, RegExp][] = [
  ['no-space', /disk is full.*Free some space/],
  ['not-writable', /read-only\. Choose another/],
  ['away', /can’t be found\..*connect that and try again/],
  ['too-deep', /Choose one with a shorter path/],
  ['outside', /points outside it.*Remove the link/],
  ['in-use', /open\. Close it there/]
]

test.each(explanations)('a file error “%s” is explained with what to do about it', (code, words) => {
  const error = asAppError(new FileError(code, 'EIO'))
  expect(localErrorCodes as readonly string[]).toContain(error.code)
  expect(errorText(error)).toMatch(words)
  expect(errorText(error)).not.toContain('EIO')
})
