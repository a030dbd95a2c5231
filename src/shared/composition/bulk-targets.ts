/** What the columns of a sheet can fill in a composition: every field that can differ between packages. */
import {
  type BulkTarget,
  choiceFields,
  type Field,
  formFields,
  formPackageFields,
  formSignerFields,
  packageFields,
  questionFields,
  settingsFields,
  shareUserFields,
  signerFields,
  templateFields,
  templatePackageFields,
  templateSignerFields
} from './bulk-fields.ts'
import type { ComposedField, ComposedSigner, Composition } from './composition.ts'

/** Returns all targets of a composition, in the order of the composer's screen. */
export function bulkTargets(composition: Composition): BulkTarget[] {
  const isForms = composition.kind === 'form-direct'
  const isOne = composition.items.length === 1
  const noun = isForms ? 'Form' : 'Template'
  const people = composition.items.flatMap((item, index) => {
    const prefix = isOne ? '' : `${noun} ${index + 1}, `
    return item.signers.flatMap((signer, order) =>
      personTargets(isForms, signer, { item: index + 1, person: order + 1, prefix, itemKey: item.key })
    )
  })
  const items = composition.items.flatMap((item, index) => {
    const group = isOne ? noun : `${noun} ${index + 1}`
    const place = { item: index + 1, group, at: item.key, path: ['items', index] }
    return [
      ...targetsOf(isForms ? formFields : templateFields, place),
      ...(isForms ? [] : item.fields.map((one, order) => fieldTarget(one, order, place, isOne)))
    ]
  })
  // After the package's own settings, which a heading without a form number means.
  const ownSettings = composition.items.flatMap((item, index) => {
    const place = { item: index + 1, group: isOne ? noun : `${noun} ${index + 1}`, at: `${item.key}.own` }
    return isForms && item.own ? targetsOf(settingsFields, { ...place, path: ['items', index, 'own'] }) : []
  })
  const allPackageFields = {
    ...packageFields,
    ...(isForms ? formPackageFields : templatePackageFields)
  }
  return withUniqueLabels([
    ...people,
    ...items,
    ...targetsOf(allPackageFields, { group: 'Package', at: '', path: [] }, (name) => name).flatMap(withTimeTarget),
    ...ownSettings,
    ...(isForms ? choiceTargets(composition) : [])
  ])
}

export function valueAt(composition: Composition, path: BulkTarget['path']): unknown {
  return path.reduce<unknown>((node, step) => (node as Record<string | number, unknown>)[step], composition)
}

export function setValue(composition: Composition, path: BulkTarget['path'], value: unknown): void {
  const holder = valueAt(composition, path.slice(0, -1)) as Record<string | number, unknown>
  holder[path.at(-1) as string | number] = value
}

interface Place {
  group: string
  /** The prefix of the targets' ids; blank for those of the package. */
  at: string
  path: readonly (string | number)[]
  item?: number
  person?: number
}

function personTargets(
  isForms: boolean,
  signer: ComposedSigner,
  { item, person, prefix, itemKey }: { item: number; person: number; prefix: string; itemKey: string }
): BulkTarget[] {
  const group = capital(`${prefix}signer ${person}`)
  const place: Place = {
    group,
    at: `${itemKey}.signers.${signer.key}`,
    path: ['items', item - 1, 'signers', person - 1],
    item,
    person
  }
  const shared = signer.ShareUsers.flatMap((user, index) =>
    numberedTargets(shareUserFields, 'shared with', index, {
      ...place,
      at: `${place.at}.ShareUsers.${user.key}`,
      path: [...place.path, 'ShareUsers', index]
    })
  )
  const questions = isForms
    ? signer.IDData.flatMap((one, index) =>
        numberedTargets(questionFields, 'question', index, {
          ...place,
          at: `${place.at}.IDData.${one.key}`,
          path: [...place.path, 'IDData', index]
        })
      )
    : []
  return [
    ...targetsOf({ ...signerFields, ...(isForms ? formSignerFields : templateSignerFields) }, place),
    ...questions,
    ...shared
  ]
}

/** Returns the targets of something a person can have several of: "Signer 1: question 2, correct answer". */
function numberedTargets(fields: Record<string, Field>, noun: string, index: number, place: Place): BulkTarget[] {
  const number = index + 1
  return targetsOf(fields, place, (name) => `${place.group}: ${noun} ${number}, ${name}`).map((target) => ({
    ...target,
    aliases: target.aliases.flatMap((alias) => [
      `${noun} ${number} ${alias}`,
      ...(noun === 'question' ? [`${alias} ${number}`, ...(number === 1 ? [alias] : [])] : [])
    ])
  }))
}

function choiceTargets(composition: Composition): BulkTarget[] {
  return composition.ListItems.flatMap((choice, index) => {
    const group = `Drop-down choice ${index + 1}`
    const place = { group, at: `ListItems.${choice.key}`, path: ['ListItems', index] }
    return targetsOf(choiceFields, place).map((target) => ({
      ...target,
      group: 'Drop-down choices',
      aliases: target.aliases.flatMap((alias) => [
        `list item ${index + 1} ${alias}`,
        `drop down item ${index + 1} ${alias}`,
        `drop down choice ${index + 1} ${alias}`
      ])
    }))
  })
}

function fieldTarget(one: ComposedField, order: number, place: Place, isOne: boolean): BulkTarget {
  const names = [one.Label, one.Reference, one.ClientField].map(oneLine).filter(Boolean)
  const name = names[0] ?? `${order + 1}`
  return {
    target: `${place.at}.fields.${one.key}.Value`,
    label: `${isOne ? 'Field' : `${place.group}, field`}: ${name}`,
    group: isOne ? 'Fields' : `${place.group}: fields`,
    aliases: names,
    kind: one.FieldType === 'CheckBox' ? 'yes-no' : one.FieldType === 'DateInput' ? 'date' : 'text',
    ...(place.item !== undefined && { item: place.item }),
    path: [...place.path, 'fields', order, 'Value'],
    ...(one.IsRequired && one.ReadOnly && { required: true as const })
  }
}

function targetsOf(
  fields: Record<string, Field>,
  place: Place,
  labelOf: (name: string) => string = (name) => `${place.group}: ${name}`
): BulkTarget[] {
  return Object.entries(fields).map(([key, { name, kind, aliases, required }]) => ({
    target: place.at ? `${place.at}.${key}` : key,
    label: labelOf(name),
    group: place.group,
    // A column headed "Name" contains people's names, not the form's.
    aliases: place.person === undefined && place.item !== undefined ? aliases : [name, ...aliases],
    kind,
    ...(required && { required }),
    ...(place.item !== undefined && { item: place.item }),
    ...(place.person !== undefined && { person: place.person }),
    path: [...place.path, key]
  }))
}

/** Adds a target for the time of the due date, which may have a column of its own. */
function withTimeTarget(target: BulkTarget): BulkTarget[] {
  if (target.kind !== 'due') return [target]
  const time: BulkTarget = {
    ...target,
    target: 'due.time',
    label: 'Due time',
    aliases: ['due time', 'due at'],
    kind: 'time',
    goesWith: target.target
  }
  return [target, time]
}

/** Makes labels unique, so that a heading identifies one target: two fields may have the same label. */
function withUniqueLabels(targets: readonly BulkTarget[]): BulkTarget[] {
  const taken = new Set<string>()
  return targets.map((target) => {
    const label = shortened(oneLine(target.label))
    let unique = label
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${label} (${number})`
    taken.add(unique.toLowerCase())
    return { ...target, label: unique }
  })
}

function shortened(label: string): string {
  return label.length <= 120 ? label : `${label.slice(0, 119).trimEnd()}…`
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A part of a composition that a row may leave out: sheets have columns for the most parts that any row needs. */
export interface DroppablePart {
  targets: BulkTarget[]
  /** Path in the composition; the last step is the index in a list. */
  path: BulkTarget['path']
}

/**
 * Returns the parts to drop if neither the row nor the base fills them in: further signers, people to share with,
 * drop-down items, questions. They are in reverse order, nested parts before their parents, so that dropping one
 * doesn't shift the ones still to be dropped.
 */
export function droppableParts(base: Composition, mapped: readonly { target: BulkTarget }[]): DroppablePart[] {
  const part = (at: string, path: BulkTarget['path'], texts: readonly string[]): DroppablePart[] => {
    const targets = mapped.map(({ target }) => target).filter(({ target }) => target.startsWith(`${at}.`))
    return targets.length > 0 && texts.every((text) => text.trim() === '') ? [{ targets, path }] : []
  }
  const people = base.items.flatMap((item, index) =>
    item.signers.flatMap((signer, order) => {
      const at = `${item.key}.signers.${signer.key}`
      const path = ['items', index, 'signers', order]
      const { FirstName, MiddleName, LastName, Email, MobileNumber } = signer
      return [
        ...(order === 0 ? [] : part(at, path, [FirstName, MiddleName, LastName, Email, MobileNumber])),
        ...signer.ShareUsers.flatMap((user, place) =>
          part(
            `${at}.ShareUsers.${user.key}`,
            [...path, 'ShareUsers', place],
            [user.FirstName, user.LastName, user.Email]
          )
        ),
        ...signer.IDData.flatMap((one, place) =>
          part(`${at}.IDData.${one.key}`, [...path, 'IDData', place], [one.Label, one.Value])
        )
      ]
    })
  )
  const choices = base.ListItems.flatMap((one, place) =>
    part(`ListItems.${one.key}`, ['ListItems', place], [one.ClientField, one.Item, one.Value])
  )
  return [...people, ...choices].reverse()
}
