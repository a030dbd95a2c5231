/** Shows an answer's members that this version doesn't know as short text, hiding whatever may grant access. */
import type { OtherMember } from '../../../shared/contract/index.ts'
import { unknownMembers } from '../../../shared/model/index.ts'
import { shortened } from './text-folding.ts'

/** Maximum length of a member's text, in characters; `MAX_MEMBERS`: maximum number of members per object. */
const MAX_TEXT_LENGTH = 500
const MAX_MEMBERS = 100
/** What a later version of the service might call a secret, as lower-case words. */
const SECRET =
  /pass ?(code|word|phrase)|passwd|secret|token|credential|sign(ing|er)? ?(ur[li]|link|key)|(short|edit) ?ur[li]|api ?key|\b(otp|pin)( ?(code|number|value))?\b/
export const HIDDEN = 'Not shown: it may be secret.'

/** Returns unknown members as text, with secrets hidden. @param isSecret whether a text contains a known secret. */
export function otherMembers(
  members: readonly [name: string, member: unknown][],
  isSecret: (text: string) => boolean = () => false
): OtherMember[] {
  const mayGrantAccess = (text: string) => isSecret(text) || hasKeyedAddress(text)
  const redact = (name: string, member: unknown): unknown => {
    const isText = typeof member === 'string' || typeof member === 'number'
    return isSecretName(name) || (isText && mayGrantAccess(String(member))) ? HIDDEN : member
  }
  return members.slice(0, MAX_MEMBERS).flatMap(([name, member]) => {
    if (member === undefined || member === '') return []
    const shown = redact(name, member)
    const value = typeof shown === 'string' ? shown : JSON.stringify(shown, redact)
    return [
      {
        name: mayGrantAccess(name) ? HIDDEN : shortened(name, MAX_TEXT_LENGTH),
        // A name inside the value may be secret, too.
        value: shortened(mayGrantAccess(value) ? HIDDEN : value, MAX_TEXT_LENGTH)
      }
    ]
  })
}

/** Returns a decoded object with its known members, plus any others that the service sent in `others`. */
export function withOthers<Value extends object>(
  schema: Parameters<typeof unknownMembers>[0],
  value: Value
): Value & { others?: OtherMember[] } {
  const unknown = unknownMembers(schema, value)
  if (unknown.length === 0) return value
  const known = { ...value } as Record<string, unknown>
  for (const [name] of unknown) delete known[name]
  const others = otherMembers(unknown)
  return { ...(known as Value), ...(others.length > 0 && { others }) }
}

function isSecretName(name: string): boolean {
  const words = name.replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])|[^A-Za-z\d]+/g, '$1$2 ')
  return SECRET.test(words.toLowerCase())
}

/** Minimum length for part of an address to count as a secret, in characters. */
const MIN_KEY_LENGTH = 12

/**
 * Whether a text contains an address with a part that could be a key. Names don't suffice: clients show a plain `Url`
 * next to the answer's signing keys.
 */
function hasKeyedAddress(text: string): boolean {
  const addresses = text.match(/https?:\/\/[^\s"'<>]+/gi) ?? []
  return addresses.some((address) => {
    const [, , , ...parts] = address.split(/[/?&=#;]/)
    return /[?#]/.test(address) || parts.some((part) => part.length >= MIN_KEY_LENGTH)
  })
}
