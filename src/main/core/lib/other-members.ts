/** Members of an answer that this version doesn't know, as short text for people: whatever may let someone in isn't shown. */
import type { OtherMember } from '../../../shared/contract/index.ts'
import { unknownMembers } from '../../../shared/model/index.ts'
import { shortened } from './text-folding.ts'

/** No text of such a member is longer, in characters, and of no object more are shown. */
const LONGEST = 500
const MOST = 100
/** What a later version of the service might call what lets someone in, in words of small letters. */
const SECRET =
  /pass ?(code|word|phrase)|passwd|secret|token|credential|sign(ing|er)? ?(ur[li]|link|key)|(short|edit) ?ur[li]|api ?key|\b(otp|pin)( ?(code|number|value))?\b/
export const HIDDEN = 'Not shown: it may be secret.'

/** @param isSecret whether a text gives away what is known to be secret. */
export function otherMembers(
  members: readonly [name: string, member: unknown][],
  isSecret: (text: string) => boolean = () => false
): OtherMember[] {
  const mayLetIn = (text: string) => isSecret(text) || hasKeyedAddress(text)
  const without = (name: string, member: unknown): unknown => {
    const isText = typeof member === 'string' || typeof member === 'number'
    return isSecretName(name) || (isText && mayLetIn(String(member))) ? HIDDEN : member
  }
  return members.slice(0, MOST).flatMap(([name, member]) => {
    if (member === undefined || member === '') return []
    const shown = without(name, member)
    const value = typeof shown === 'string' ? shown : JSON.stringify(shown, without)
    return [
      {
        name: mayLetIn(name) ? HIDDEN : shortened(name, LONGEST),
        // A secret may be a name, too.
        value: shortened(mayLetIn(value) ? HIDDEN : value, LONGEST)
      }
    ]
  })
}

/** A decoded object with the members that the reference names, and beside them what else the service says, where it does. */
export function withOthers<Value extends object>(
  schema: Parameters<typeof unknownMembers>[0],
  value: Value,
  isSecret?: (text: string) => boolean
): Value & { others?: OtherMember[] } {
  const unknown = unknownMembers(schema, value)
  if (unknown.length === 0) return value
  const known = { ...value } as Record<string, unknown>
  for (const [name] of unknown) delete known[name]
  const others = otherMembers(unknown, isSecret)
  return { ...(known as Value), ...(others.length > 0 && { others }) }
}

function isSecretName(name: string): boolean {
  const words = name.replace(/([a-z\d])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])|[^A-Za-z\d]+/g, '$1$2 ')
  return SECRET.test(words.toLowerCase())
}

/** A shorter part of an address says nothing of it; a shorter secret is looked for whole. */
const SHORTEST_KEY = 12
const SHORTEST_PART = 4

/**
 * Whether a text has an address with something in it that could be a key. What a member is called says too little: clients show
 * a plain `Url` beside the answer's signing keys.
 */
function hasKeyedAddress(text: string): boolean {
  const addresses = text.match(/https?:\/\/[^\s"'<>]+/gi) ?? []
  return addresses.some((address) => {
    const [, , , ...parts] = address.split(/[/?&=#;]/)
    return /[?#]/.test(address) || parts.some((part) => part.length >= SHORTEST_KEY)
  })
}

/** Whether a text gives one of these away: a secret, or an address whose parts let someone in. */
export function secretsIn(wholes: readonly string[]): (text: string) => boolean {
  const parts = new Set(wholes.filter((secret) => secret.length >= SHORTEST_PART))
  for (const whole of wholes) {
    for (const part of whole.split(/[/?&=#]/).slice(1)) if (part.length >= SHORTEST_KEY) parts.add(part)
  }
  return (text) => wholes.includes(text) || [...parts].some((part) => text.includes(part))
}
