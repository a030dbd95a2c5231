/** What a person enters of an account, read: what can't be used is refused with its field, and no secret is repeated. */
import type { z } from 'zod'
import type { DataTypeSpelling } from '../../../shared/contract/data-type-spelling.ts'
import type { FieldMessage } from '../../../shared/contract/errors.ts'
import { fail } from '../lib/failure.ts'
import { readBaseUrl } from './base-url.ts'
import { AccountCredentials, type CredentialsInput } from './credentials.ts'

export type AccountInput =
  | { readonly kind: 'practice'; readonly name: string; readonly colour?: string | undefined }
  | {
      readonly kind: 'service'
      readonly name: string
      readonly baseUrl: string
      readonly authentication: CredentialsInput
      readonly colour?: string | undefined
      readonly dataTypeSpelling?: DataTypeSpelling | undefined
    }

/** Members that are left out stay as they are. Address and credentials of a practice account can't be changed. */
export interface AccountChanges {
  readonly name?: string | undefined
  readonly baseUrl?: string | undefined
  readonly authentication?: CredentialsInput | undefined
  readonly colour?: string | undefined
  readonly jsonByQuery?: boolean | undefined
  readonly dataTypeSpelling?: DataTypeSpelling | undefined
  readonly folders?: readonly string[] | undefined
}

export function readService(input: { baseUrl: string; authentication: CredentialsInput }) {
  return { baseUrl: readAddress(input.baseUrl), credentials: readCredentials(input.authentication) }
}

export function readName(typed: string): string {
  const name = typed.trim().normalize('NFC')
  return name === '' ? invalid([{ field: 'name', message: 'Give the account a name.' }]) : name
}

export function readAddress(typed: string): string {
  const read = readBaseUrl(typed)
  return read.ok ? read.value : invalid([{ field: 'baseUrl', message: read.message }])
}

export function readCredentials(input: CredentialsInput): AccountCredentials {
  const read = AccountCredentials.safeParse(input)
  return read.success ? read.data : invalid(read.error.issues.map(fieldMessage))
}

function fieldMessage(issue: z.core.$ZodIssue): FieldMessage {
  const isOurs = issue.code === 'custom' || issue.code === 'invalid_format'
  return {
    field: ['authentication', ...issue.path].join('.'),
    message: isOurs ? issue.message : 'This is missing, or too long.'
  }
}

function invalid(fields: FieldMessage[]): never {
  return fail('invalid', fields[0]?.message ?? 'Something here can’t be used.', { fields })
}
