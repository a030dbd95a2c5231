// The templates that administrators roll out: each has every setting, and values set through it are read as meant.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { POLICY_FOLDER, policyFiles } from '../../../scripts/policy-files.ts'
import { profile } from '../../../scripts/policy-templates.ts'
import { BUNDLE, POLICY_KEY } from '../../../src/main/core/organisation/managed.ts'
import { MANAGED_SETTINGS, WITHDRAW } from '../../../src/main/core/organisation/managed-settings.ts'
import { readPolicy } from '../../../src/main/core/organisation/reading.ts'
import { macWith, number, policyOn, text, texts, type Value, windowsWith } from './managed-computers.ts'

interface Element {
  name: string
  attributes: Record<string, string>
  inside: Element[]
  text: string
}

/** @throws if it isn't well-formed */
function parsed(xml: string): Element {
  const top: Element = { name: '', attributes: {}, inside: [], text: '' }
  const open = [top]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, inside: [], text: '' }
    open.at(-1)?.inside.push(element)
    open.push(element)
  })
  parser.on('text', (characters) => {
    const within = open.at(-1)
    if (within) within.text += characters
  })
  parser.on('closetag', () => void open.pop())
  parser.write(xml).close()
  return top.inside[0] as Element
}

const all = (element: Element, name: string): Element[] =>
  element.inside.flatMap((one) => [...(one.name === name ? [one] : []), ...all(one, name)])
const first = (element: Element, name: string) => all(element, name)[0]

const files = policyFiles()
const example = JSON.parse(readFileSync(join(POLICY_FOLDER, 'example.json'), 'utf8'))
/** The opposite answers: what is allowed, what is kept, and the meaning of null. */
const otherwise = {
  otherAccounts: 'enrolled',
  practiceOffice: true,
  removal: true,
  quietHours: null,
  updates: null,
  proxy: {},
  accounts: [{ name: 'Te Ara “Law” & <Sons>', address: 'https://signing.example.com', signIn: 'bearer' }],
  retention: { people: null, trash: 10 },
  counter: { identity: 'compared', lockAfter: 0, checklist: [] }
}

/** Returns a policy's value for a setting, or undefined if it has none. */
function meant(policy: Record<string, unknown>, name: string): unknown {
  return name.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], policy)
}

describe('the Group Policy template', () => {
  const template = parsed(files['windows/countersign.admx'] ?? '')
  const policies = all(template, 'policy')

  test('has each setting of the schema once, for the computer, under the one key', () => {
    const written = policies.map(
      (policy) => first(policy, 'elements')?.inside[0]?.attributes.valueName ?? policy.attributes.valueName
    )
    expect(written).toEqual([...MANAGED_SETTINGS.map(({ name }) => name), WITHDRAW])
    for (const { attributes } of policies) expect(attributes).toMatchObject({ class: 'Machine', key: POLICY_KEY })
  })

  test.each(['en-GB', 'en-US'])('has all its texts and fields in %s, and no others', (language) => {
    const words = parsed(files[`windows/${language}/countersign.adml`] ?? '')
    const references = [...(files['windows/countersign.admx'] ?? '').matchAll(/\$\((string|presentation)\.([^)]+)\)/g)]
    for (const kind of ['string', 'presentation']) {
      const there = all(words, kind).map(({ attributes }) => attributes.id)
      expect(there.toSorted()).toEqual(
        [...new Set(references.flatMap(([, of, id]) => (of === kind ? [id] : [])))].toSorted()
      )
    }
  })

  /** Returns what Group Policy writes when the policy is enabled or disabled to set this value. */
  function writtenFor(policy: Element, value: unknown): [name: string, value: Value] {
    const field = first(policy, 'elements')?.inside[0]
    if (!field) {
      const state = first(policy, value === true ? 'enabledValue' : 'disabledValue')
      return [policy.attributes.valueName ?? '', number(Number(first(state as Element, 'decimal')?.attributes.value))]
    }
    const { valueName = '', minValue, maxValue, maxLength } = field.attributes
    if (value === null) {
      const item = first(first(policy, 'disabledList') as Element, 'item')
      expect(item?.attributes.valueName).toBe(valueName)
      return [valueName, text(first(item as Element, 'string')?.text ?? '')]
    }
    if (field.name === 'decimal') {
      expect(Number(value)).toBeGreaterThanOrEqual(Number(minValue))
      expect(Number(value)).toBeLessThanOrEqual(Number(maxValue))
      return [valueName, number(Number(value))]
    }
    if (field.name === 'enum') {
      const values = all(field, 'string').map((one) => one.text)
      expect(values).toContain(String(value))
      return [valueName, text(String(value))]
    }
    const lines = field.name === 'text' ? String(value) : JSON.stringify(value, null, 2)
    for (const line of lines.split('\n')) expect(line.length).toBeLessThanOrEqual(Number(maxLength))
    return [valueName, field.name === 'text' ? text(lines) : texts(lines)]
  }

  test.each([
    ['the example’s values', example],
    ['other answers', otherwise]
  ])('writes %s so that they are read as meant', async (_what, policy) => {
    const { $schema: _, ...settings } = policy
    const values = MANAGED_SETTINGS.flatMap(({ name }, index) => {
      const value = meant(settings, name)
      return value === undefined ? [] : [writtenFor(policies[index] as Element, value)]
    })
    expect(await policyOn(windowsWith(Object.fromEntries(values)))).toEqual(settings)
  })

  test('withdraws when enabled, and has no effect when disabled', async () => {
    const withdrawal = policies.at(-1) as Element
    expect(await policyOn(windowsWith(Object.fromEntries([writtenFor(withdrawal, true)])))).toEqual({})
    expect(first(withdrawal, 'disabledValue')?.inside.map(({ name }) => name)).toEqual(['delete'])
  })
})

/** Converts a property list to JSON, as plutil does. */
function jsonOf(element: Element | undefined): unknown {
  if (!element) return undefined
  if (element.name === 'plist') return jsonOf(element.inside[0])
  if (element.name === 'array') return element.inside.map(jsonOf)
  if (element.name === 'integer') return Number(element.text)
  if (element.name === 'true' || element.name === 'false') return element.name === 'true'
  if (element.name === 'string') return element.text
  expect(element.name).toBe('dict')
  const members = element.inside.flatMap((one, index) =>
    index % 2 === 0 ? [[one.text, jsonOf(element.inside[index + 1])]] : []
  )
  return Object.fromEntries(members)
}

describe('the macOS profile', () => {
  test.each([
    ['the example’s values', example],
    ['other answers', otherwise]
  ])('sets %s as meant', async (_what, policy) => {
    const { PayloadContent, PayloadScope } = jsonOf(parsed(profile(policy))) as {
      PayloadContent: Record<string, unknown>[]
      PayloadScope: string
    }
    expect(PayloadScope).toBe('System')
    expect(PayloadContent).toMatchObject([{ PayloadType: BUNDLE }])
    const { $schema: _, ...settings } = policy
    expect(await policyOn(macWith(PayloadContent[0]))).toEqual(settings)
  })

  test('that is packed sets every setting of a policy', () => {
    const packed = files['macos/countersign.mobileconfig'] ?? ''
    expect(packed).toBe(profile(example))
    for (const { name } of MANAGED_SETTINGS) expect(packed).toContain(`<key>${name}</key>`)
  })

  test('has a manifest with each setting, its type and its limits', () => {
    const { pfm_domain, pfm_subkeys } = jsonOf(parsed(files[`macos/${BUNDLE}.plist`] ?? '')) as {
      pfm_domain: string
      pfm_subkeys: Record<string, unknown>[]
    }
    expect(pfm_domain).toBe(BUNDLE)
    const settings = pfm_subkeys.filter(({ pfm_name }) => !String(pfm_name).startsWith('Payload'))
    expect(settings.map(({ pfm_name }) => pfm_name)).toEqual([...MANAGED_SETTINGS.map(({ name }) => name), WITHDRAW])
    const of = (name: string) => settings.find(({ pfm_name }) => pfm_name === name)
    expect(of('counter.pinDigits')).toMatchObject({ pfm_type: 'integer', pfm_range_min: 4, pfm_range_max: 12 })
    expect(of('otherAccounts')).toMatchObject({ pfm_type: 'string', pfm_range_list: ['true', 'false', 'enrolled'] })
    expect(of('removal')).toMatchObject({ pfm_type: 'boolean' })
  })
})

test('both examples are valid policies', () => {
  for (const policy of [example, otherwise]) {
    expect(readPolicy(new TextEncoder().encode(JSON.stringify(policy)))).toMatchObject({ ok: true })
  }
})
