/**
 * Policy templates for administrators (decision 58), generated from the schema that the application validates policies
 * with: the ADMX for Group Policy and Intune with its texts (ADML), an example of a configuration profile for macOS,
 * and its manifest, from which profile editors build a form.
 */
import { BUNDLE, POLICY_KEY } from '../src/main/core/organisation/managed.ts'
import { MANAGED_SETTINGS, type ManagedSetting, WITHDRAW } from '../src/main/core/organisation/managed-settings.ts'

const NAMESPACE = 'Countersign.Policies'
const ROOT = {
  xmlns: 'http://schemas.microsoft.com/GroupPolicy/2006/07/PolicyDefinitions',
  revision: '1.0',
  schemaVersion: '1.0'
}
/** The same in every generated file: a profile replaces another with the same identifier. */
const PROFILE_ID = '8C0E6B5A-3C41-4E0C-9E5B-2B6D0F7A5C11'
const PAYLOAD_ID = '5F2D9A70-6A0E-4B63-8C1D-7C4C2E9B1F36'
/** The maximum length of a one-line field, in characters: Windows stores no more. */
const MAX_LINE_LENGTH = 1023
/** A certificate is one line of JSON. */
const MAX_JSON_LINE_LENGTH = 16_383

type Attributes = Record<string, string | number | boolean | undefined>

/** Returns an element with its content, each on lines of its own; text content stays inline. */
function element(name: string, attributes: Attributes, ...children: readonly (string | readonly string[])[]): string {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const openTag = [name, ...present.map(([key, value]) => `${key}="${escapeXml(String(value))}"`)].join(' ')
  const content = children.flat().filter((one) => one !== '')
  if (content.length === 0) return `<${openTag}/>`
  if (content.length === 1 && !content[0]?.startsWith('<')) return `<${openTag}>${content[0]}</${name}>`
  return `<${openTag}>\n${content.join('\n').replace(/^/gm, '  ')}\n</${name}>`
}

/** Escapes text. Line breaks in it become entities: as lines of the file they would be indented. */
function escapeXml(text: string): string {
  const marks = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return marks.replaceAll('"', '&quot;').replaceAll('\n', '&#10;')
}

const document = (root: string) => `<?xml version="1.0" encoding="utf-8"?>\n${root}\n`

/** Returns a setting's name in the form that template identifiers allow. */
const idOf = ({ name }: ManagedSetting) => name.replace('.', '_')
const groupOf = ({ name }: ManagedSetting) => (name.includes('.') ? name.split('.')[0] : undefined)
const groups = [...new Set(MANAGED_SETTINGS.flatMap((setting) => groupOf(setting) ?? []))]

const WITHDRAWAL: ManagedSetting = {
  name: WITHDRAW,
  kind: 'boolean',
  values: [true, false],
  isNullable: false,
  description: 'Withdraws the policy: nothing is set any more. No other setting may be set with it.'
}
const allSettings = [...MANAGED_SETTINGS, WITHDRAWAL]

/** Returns `countersign.admx`, for the templates folder. */
export function admx(): string {
  return document(
    element(
      'policyDefinitions',
      ROOT,
      element('policyNamespaces', {}, element('target', { prefix: 'countersign', namespace: NAMESPACE })),
      element('resources', { minRequiredRevision: '1.0' }),
      element(
        'supportedOn',
        {},
        element('definitions', {}, element('definition', { name: 'supported', displayName: '$(string.supported)' }))
      ),
      element(
        'categories',
        {},
        element('category', { name: 'countersign', displayName: '$(string.countersign)' }),
        groups.map((group) =>
          element(
            'category',
            { name: group, displayName: `$(string.group_${group})` },
            element('parentCategory', { ref: 'countersign' })
          )
        )
      ),
      element('policies', {}, allSettings.map(policyOf))
    )
  )
}

function policyOf(setting: ManagedSetting): string {
  const id = idOf(setting)
  const isSwitch = setting.kind === 'boolean'
  const attributes = {
    name: id,
    class: 'Machine',
    displayName: `$(string.${id})`,
    explainText: `$(string.${id}_help)`,
    key: POLICY_KEY,
    ...(isSwitch ? { valueName: setting.name } : { presentation: `$(presentation.${id})` })
  }
  const decimal = (value: number) => element('decimal', { value })
  const isWithdrawal = setting.name === WITHDRAW
  return element(
    'policy',
    attributes,
    element('parentCategory', { ref: groupOf(setting) ?? 'countersign' }),
    element('supportedOn', { ref: 'supported' }),
    isSwitch ? element('enabledValue', {}, decimal(1)) : '',
    // Unless the policy is withdrawn, there is no such value.
    isSwitch ? element('disabledValue', {}, isWithdrawal ? element('delete', {}) : decimal(0)) : '',
    setting.isNullable
      ? element(
          'disabledList',
          {},
          element('item', { valueName: setting.name }, element('value', {}, element('string', {}, 'null')))
        )
      : '',
    isSwitch ? '' : element('elements', {}, fieldOf(setting))
  )
}

/** Returns the field to fill in when the policy is enabled. */
function fieldOf(setting: ManagedSetting): string {
  const { name, kind, values, minimum, maximum, maxLength = MAX_LINE_LENGTH } = setting
  const common = { id: 'value', valueName: name, required: true }
  if (kind === 'integer') return element('decimal', { ...common, minValue: minimum, maxValue: maximum })
  if (kind === 'text') return element('text', { ...common, maxLength: Math.min(maxLength, MAX_LINE_LENGTH) })
  if (kind === 'json') return element('multiText', { ...common, maxLength: MAX_JSON_LINE_LENGTH })
  const items = values.map((value) =>
    element(
      'item',
      { displayName: `$(string.${idOf(setting)}_${value})` },
      element('value', {}, element('string', {}, String(value)))
    )
  )
  return element('enum', common, items)
}

/**
 * Returns `countersign.adml`, the texts of one language: ours are English, in the folder of each English that editors
 * look for.
 */
export function adml(): string {
  const strings = allSettings.flatMap((setting) => [
    stringElement(idOf(setting), setting.name),
    stringElement(`${idOf(setting)}_help`, helpOf(setting)),
    ...(setting.kind === 'choice'
      ? setting.values.map((one) => stringElement(`${idOf(setting)}_${one}`, String(one)))
      : [])
  ])
  return document(
    element(
      'policyDefinitionResources',
      ROOT,
      element('displayName', {}, 'Countersign'),
      element('description', {}, 'What an organisation sets for Countersign on its computers.'),
      element(
        'resources',
        {},
        element(
          'stringTable',
          {},
          stringElement('supported', 'Countersign 0.1 or later'),
          stringElement('countersign', 'Countersign'),
          groups.map((group) => stringElement(`group_${group}`, group)),
          strings
        ),
        element('presentationTable', {}, allSettings.flatMap(presentationOf))
      )
    )
  )
}

const stringElement = (id: string, text: string) => element('string', { id }, escapeXml(text))

function presentationOf(setting: ManagedSetting): string[] {
  const { kind, name, minimum } = setting
  if (kind === 'boolean') return []
  const box = () => {
    if (kind === 'integer') return element('decimalTextBox', { refId: 'value', defaultValue: minimum ?? 0 }, name)
    if (kind === 'text') return element('textBox', { refId: 'value' }, element('label', {}, name))
    if (kind === 'json') return element('multiTextBox', { refId: 'value', defaultHeight: 12 }, name)
    return element('dropdownList', { refId: 'value', noSort: true, defaultItem: 0 }, name)
  }
  return [element('presentation', { id: idOf(setting) }, box())]
}

/** Returns what it sets, and what each answer writes. */
function helpOf({ name, kind, description, isNullable }: ManagedSetting): string {
  if (name === WITHDRAW) return `${description} Leave it on until every computer has started with it.`
  const lines = [description]
  if (kind === 'boolean') lines.push('Enabled: true. Disabled: false.')
  if (kind === 'json') lines.push('Write JSON, exactly as in a policy file after the name of this setting.')
  if (isNullable) lines.push('Disabled: null.')
  const isDisabledToo = kind !== 'boolean' && !isNullable
  lines.push(
    isDisabledToo
      ? 'Disabled or not configured: people choose for themselves.'
      : 'Not configured: people choose for themselves.'
  )
  return lines.join('\n\n')
}

/** Returns a property list; numbers become integers. */
function plist(value: unknown): string {
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>'
  if (typeof value === 'number') return element('integer', {}, String(value))
  if (typeof value === 'string') return value === '' ? '<string></string>' : element('string', {}, escapeXml(value))
  if (Array.isArray(value)) return element('array', {}, value.map(plist))
  const members = Object.entries(value as object).filter(([, member]) => member !== undefined)
  return element(
    'dict',
    {},
    members.flatMap(([name, member]) => [element('key', {}, escapeXml(name)), plist(member)])
  )
}

const propertyList = (value: unknown) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n${element('plist', { version: '1.0' }, plist(value))}\n`

/**
 * Returns `countersign.mobileconfig`: a profile for all users of a computer.
 * @param policy as in a policy file. Property lists have no null, so it is written as JSON text.
 */
export function profile(policy: Readonly<Record<string, unknown>>): string {
  const { $schema: _, ...settings } = policy
  const payload = {
    PayloadType: BUNDLE,
    PayloadVersion: 1,
    PayloadIdentifier: `${BUNDLE}.policy`,
    PayloadUUID: PAYLOAD_ID,
    PayloadDisplayName: 'Countersign',
    ...Object.fromEntries(MANAGED_SETTINGS.flatMap(({ name }) => valueIn(settings, name)))
  }
  return propertyList({
    PayloadType: 'Configuration',
    PayloadVersion: 1,
    PayloadIdentifier: BUNDLE,
    PayloadUUID: PROFILE_ID,
    PayloadDisplayName: 'Countersign',
    PayloadScope: 'System',
    PayloadRemovalDisallowed: true,
    PayloadDescription: 'What our organisation sets for Countersign.',
    PayloadContent: [payload]
  })
}

function valueIn(settings: Readonly<Record<string, unknown>>, name: string): [name: string, value: unknown][] {
  const found = name
    .split('.')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], settings)
  return found === undefined ? [] : [[name, found === null ? 'null' : found]]
}

/**
 * Returns `app.countersign.desktop.plist`: a manifest in the format of ProfileManifests, which ProfileCreator, iMazing
 * and Jamf Pro read.
 */
export function manifest(): string {
  return propertyList({
    pfm_title: 'Countersign',
    pfm_description: 'What an organisation sets for Countersign on its computers.',
    pfm_domain: BUNDLE,
    pfm_format_version: 1,
    pfm_version: 1,
    pfm_unique: true,
    pfm_platforms: ['macOS'],
    pfm_targets: ['system'],
    pfm_app_url: 'https://countersign.example',
    pfm_subkeys: [
      ...envelope('PayloadDescription', 'string', 'Description of the payload', 'Countersign'),
      ...envelope('PayloadDisplayName', 'string', 'Name of the payload', 'Countersign'),
      ...envelope('PayloadIdentifier', 'string', 'Identifier of the payload', BUNDLE),
      ...envelope('PayloadType', 'string', 'Type of the payload', BUNDLE),
      ...envelope('PayloadUUID', 'string', 'Unique identifier of the payload'),
      ...envelope('PayloadVersion', 'integer', 'Version of the payload', 1),
      ...allSettings.map(keyOf)
    ]
  })
}

function envelope(name: string, type: string, title: string, value?: string | number) {
  return [{ pfm_name: name, pfm_title: title, pfm_type: type, pfm_require: 'always', pfm_default: value }]
}

function keyOf({ name, description, kind, values, isNullable, minimum, maximum }: ManagedSetting) {
  const isText = kind === 'json' || kind === 'text' || kind === 'choice'
  const notes = [
    ...(kind === 'json' ? ['JSON, exactly as in a policy file after the name of this setting.'] : []),
    // A field has only one type; a hand-written profile can use the text null.
    ...(isNullable && kind === 'integer' ? ['For null, write the text null in a profile of your own.'] : [])
  ]
  return {
    pfm_name: name,
    pfm_title: name,
    pfm_description: [description, ...notes].join(' '),
    pfm_type: isText ? 'string' : kind,
    ...(kind === 'choice' && { pfm_range_list: values.map(String) }),
    pfm_range_min: minimum,
    pfm_range_max: maximum
  }
}
