/**
 * A policy from the system's own management (decision 58): one value per setting, under names such as `removal` or
 * `counter.lockAfter`. They are converted to the text of a policy file, so that both go through the same check.
 */
import { getOrMake } from '../lib/objects.ts'
import { publishedSchema } from './schema.ts'

/** The parts of the published schema that are used here. */
interface Shape {
  type?: string
  description?: string
  properties?: Record<string, Shape>
  anyOf?: Shape[]
  enum?: string[]
  const?: string
  minimum?: number
  maximum?: number
  maxLength?: number
}

export interface ManagedSetting {
  name: string
  /** A sentence. */
  description: string
  /** `json`: a list or a group, given as its text in a policy file. `choice`: one of `values`. */
  kind: 'boolean' | 'integer' | 'text' | 'choice' | 'json'
  /** For a choice: the JSON values. */
  values: readonly (string | boolean)[]
  /** Whether `null` has a meaning of its own. */
  isNullable: boolean
  minimum?: number
  maximum?: number
  maxLength?: number
}

/** Groups that aren't settings themselves: each of their members is one. */
const GROUPS = new Set(['counter', 'downloads', 'retention'])
/** Replaces all others: a policy that sets nothing, which is how a policy is withdrawn. */
export const WITHDRAW = 'withdraw'

/** All settings of a policy, in the order of the schema. */
export const MANAGED_SETTINGS: readonly ManagedSetting[] = Object.entries((publishedSchema() as Shape).properties ?? {})
  .filter(([name]) => name !== '$schema')
  .flatMap(([name, shape]) =>
    GROUPS.has(name)
      ? Object.entries(shape.properties ?? {}).map(([member, inner]) => settingOf(`${name}.${member}`, inner))
      : [settingOf(name, shape)]
  )

function settingOf(name: string, shape: Shape): ManagedSetting {
  const parts = shape.anyOf ?? [shape]
  const [first = {}, ...others] = parts.filter(({ type }) => type !== 'null')
  const { minimum, maximum, maxLength } = first
  return {
    name,
    description: shape.description ?? '',
    isNullable: parts.some(({ type }) => type === 'null'),
    kind: kindOf(first, others),
    values: [first, ...others].flatMap(valuesOf),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength !== undefined && { maxLength })
  }
}

function kindOf(first: Shape, others: readonly Shape[]): ManagedSetting['kind'] {
  if (others.length > 0 || first.enum) return 'choice'
  if (first.type === 'boolean' || first.type === 'integer') return first.type
  return first.type === 'string' ? 'text' : 'json'
}

function valuesOf(shape: Shape): readonly (string | boolean)[] {
  if (shape.type === 'boolean') return [true, false]
  return shape.const === undefined ? (shape.enum ?? []) : [shape.const]
}

const settings = new Map(MANAGED_SETTINGS.map((setting) => [setting.name, setting]))

/** An equivalent policy file. */
export interface ManagedPolicy {
  text: string
  lines: readonly (string | undefined)[]
}

/**
 * Converts managed settings to the text of a policy file.
 * @param given each value by the name of its setting; a list or a group as such, or as JSON text.
 * @returns the policy, or what is wrong with a setting. The text itself isn't checked.
 */
export function policyOf(given: ReadonlyMap<string, unknown>): ManagedPolicy | { message: string; setting: string } {
  if (isTrue(given.get(WITHDRAW))) {
    const other = [...given.keys()].find((name) => name !== WITHDRAW)
    return other === undefined ? { text: '{}', lines: [] } : { message: WITHDRAWN, setting: other }
  }
  const groups = new Map<string, { name: string; written: string }[]>()
  for (const [name, value] of given) {
    const [group = '', member] = name.split(/\.(.*)/s)
    if (member !== undefined && given.has(group))
      return { message: `“${group}” is also set as a whole. Set it one way or the other.`, setting: name }
    const json = jsonOf(value, settings.get(name))
    if (json === undefined)
      return { message: 'This isn’t valid JSON for this setting. Write it as in a policy file.', setting: name }
    const written = member === undefined ? json : `${JSON.stringify(member)}:${json}`
    getOrMake(groups, group, () => []).push({ name, written })
  }
  const texts = [...groups].flatMap(([group, members]) => {
    const isPlainSetting = members[0]?.name === group
    return members.map(({ written }, index) => {
      const start = index === 0 ? `${JSON.stringify(group)}:${isPlainSetting ? '' : '{'}` : ''
      return `${start}${written}${index === members.length - 1 && !isPlainSetting ? '}' : ''}`
    })
  })
  return {
    text: `{\n${texts.join(',\n')}\n}`,
    lines: [undefined, ...[...groups.values()].flatMap((members) => members.map(({ name }) => name))]
  }
}

const WITHDRAWN = 'A withdrawn policy can’t set anything else. Remove the other settings.'

/** The registry has no booleans, only numbers. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1
}

/** Returns the value as JSON on one line; undefined if it should be JSON text and isn't. */
function jsonOf(value: unknown, setting: ManagedSetting | undefined): string | undefined {
  if (setting?.isNullable && value === 'null') return 'null'
  if (setting?.kind === 'json' && typeof value === 'string') return toOneLine(value)
  const isNumber = value === 0 || value === 1
  const match = setting?.values.find((one) =>
    isNumber ? one === isTrue(value) : setting.kind === 'choice' && String(one) === value
  )
  return JSON.stringify(match ?? value)
}

/** Keeps the text as it is, so that a duplicate name in it remains one. */
function toOneLine(json: string): string | undefined {
  try {
    JSON.parse(json)
    // JSON strings contain no line breaks.
    return json.replace(/[\r\n]+/g, ' ')
  } catch {
    return undefined
  }
}
