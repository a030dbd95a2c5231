/** What a person enters of an account, read: what can't be used is refused with its field, and no secret is repeated. */
import type { z } from 'zod'
import type { FieldMessage } from '../../../shared/contract/errors.ts'
import type { DataTypeSpelling } from '../../../shared/contract/views.ts'
import { fail } from '../lib/failure.ts'
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
  const read = readTypedAddress(typed)
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

/**
 * The address of an office's signing service, as someone typed it. What is kept is what was typed, the case of its path
 * included, without slashes at the end; what would send credentials astray is refused.
 */

type BaseUrl =
  | { readonly ok: true; readonly value: string }
  /** One plain sentence for the person who typed it. It does not repeat what they typed. */
  | { readonly ok: false; readonly message: string }

/** Reads an address like `https://sign.example.com/web/v1.4`. `http` is taken for this computer only. */
export function readTypedAddress(typed: string): BaseUrl {
  const text = typed.trim()
  if (text === '') return refused('Enter the address of the service.')
  if (/[\s\\\p{C}]/u.test(text)) return refused('An address has no spaces and no backslashes.')
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return refused('Begin the address with https://.')
  const url = URL.parse(text)
  if (url === null || url.hostname === '')
    return refused('This isn’t a complete address. It looks like https://host/web/v1.4.')
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text)) {
    return refused('Leave name and password out of the address. They are entered separately.')
  }
  if (/[?#]/.test(text)) return refused('Leave out the part of the address from “?” or “#” on.')
  if (url.protocol === 'http:' && !isThisComputer(url.hostname)) {
    return refused('The address must begin with https://, or credentials could be read on the way.')
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('Begin the address with https://.')
  return { ok: true, value: `${url.origin}${url.pathname.replace(/\/+$/, '')}` }
}

function isThisComputer(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function refused(message: string): BaseUrl {
  return { ok: false, message }
}
