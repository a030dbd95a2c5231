/** A document's fields as labelled controls, and reading them from a posted form. */
import { readServiceDate } from '../../shared/model/index.ts'
import type { DocumentRecord, FieldRecord } from '../state.ts'
import { html, type Markup } from './html.ts'

/** A problem with a control: its id and a message. */
export interface Mistake {
  id: string
  message: string
}

const MAX_VALUE_LENGTH = 5000

/**
 * Returns whether a field can still be filled. Once someone has signed, existing values are fixed, and only empty
 * fields can be filled.
 */
export function isFillable(field: FieldRecord, document: DocumentRecord): boolean {
  if (field.readOnly) return false
  return field.value === '' || document.signers.every((signer) => signer.signedAt === undefined)
}

function controlId(document: DocumentRecord, field: FieldRecord): string {
  return `field-${document.fields.indexOf(field)}`
}

/** Returns a field's control with its label and any error. */
export function control(document: DocumentRecord, field: FieldRecord, mistakes: Mistake[]): Markup {
  const id = controlId(document, field)
  const wrong = mistakes.find((mistake) => mistake.id === id)
  const message = wrong && html`<p class="wrong" id="${id}-wrong">${wrong.message}</p>`
  const attributes = html`${field.required && html` required`}${wrong && html` aria-invalid="true" aria-describedby="${id}-wrong"`}`
  const testId = html` data-testid="field-${field.reference}"`
  const name = html`${field.label}${!field.required && html` <span class="optional">(optional)</span>`}`
  if (field.type === 'CheckBox') {
    const checked = isChecked(field.value) && html` checked`
    return html`<div class="field"><label class="choice"><input type="checkbox" id="${id}" name="${id}" value="true"${checked}${attributes}${testId}><span>${name}</span></label>${message}</div>`
  }
  if (field.type === 'RadioButton') {
    const buttons = (field.choices ?? []).map((choice, index) => {
      const checked = choice.value === field.value && html` checked`
      return html`<label class="choice"><input type="radio" id="${index === 0 ? id : `${id}-${index}`}" name="${id}" value="${choice.value}"${checked}${attributes}><span>${choice.label}</span></label>`
    })
    return html`<fieldset class="field"${testId}><legend>${name}</legend><div class="choices">${buttons}</div>${message}</fieldset>`
  }
  return html`<div class="field"><label for="${id}">${name}</label>${input(field, id, html`${attributes}${testId}`)}${message}</div>`
}

function input(field: FieldRecord, id: string, attributes: Markup): Markup {
  if (field.type === 'MultiLineText') {
    return html`<textarea id="${id}" name="${id}" rows="3" maxlength="${MAX_VALUE_LENGTH}"${attributes}>
${field.value}</textarea>`
  }
  if (field.type === 'DropDownList') {
    const options = (field.choices ?? []).map(
      (choice) =>
        html`<option value="${choice.value}"${choice.value === field.value && html` selected`}>${choice.label}</option>`
    )
    return html`<select id="${id}" name="${id}"${attributes}><option value="">Choose…</option>${options}</select>`
  }
  if (field.type === 'DateInput') {
    return html`<input type="date" id="${id}" name="${id}" value="${isoDay(field.value)}"${attributes}>`
  }
  return html`<input type="text" id="${id}" name="${id}" value="${field.value}" maxlength="${MAX_VALUE_LENGTH}"${attributes}>`
}

/** Stores a posted form's values in the document's fillable fields. Returns the mistakes. */
export function storeValues(document: DocumentRecord, form: Record<string, unknown>): Mistake[] {
  return document.fields
    .filter((field) => isFillable(field, document))
    .flatMap((field) => {
      const id = controlId(document, field)
      const value = postedValue(field, form[id])
      const message = mistakeIn(field, value)
      if (!message) field.value = value
      return message ? [{ id, message }] : []
    })
}

/** An unticked box isn't posted, but means no. */
function postedValue(field: FieldRecord, posted: unknown): string {
  if (field.type === 'CheckBox') return posted === 'true' ? 'true' : 'false'
  return typeof posted === 'string' ? posted.slice(0, MAX_VALUE_LENGTH).replaceAll('\r\n', '\n') : ''
}

function mistakeIn(field: FieldRecord, value: string): string | undefined {
  const empty = field.type === 'CheckBox' ? value === 'false' : value.trim() === ''
  if (empty) return field.required ? missingMessage(field) : undefined
  if (field.choices && !field.choices.some((choice) => choice.value === value)) return 'Choose one from the list.'
  if (field.type === 'DateInput' && !readServiceDate(value)) return 'Enter a date, for example 2026-12-31.'
  return undefined
}

function missingMessage(field: FieldRecord): string {
  switch (field.type) {
    case 'CheckBox':
      return `Tick “${field.label}” to continue.`
    case 'RadioButton':
    case 'DropDownList':
      return `Choose “${field.label}”.`
    default:
      return `Fill in “${field.label}”.`
  }
}

export function shownValue(field: FieldRecord): string {
  if (field.type === 'CheckBox') return isChecked(field.value) ? 'Yes' : 'No'
  if (field.type === 'DateInput' && field.value) {
    const read = readServiceDate(field.value)
    if (read) return new Date(read.at).toLocaleDateString('en-NZ', { timeZone: 'UTC', dateStyle: 'long' })
  }
  return field.choices?.find((choice) => choice.value === field.value)?.label ?? field.value
}

function isChecked(value: string): boolean {
  return ['true', '1', 'yes', 'on'].includes(value.trim().toLowerCase())
}

function isoDay(value: string): string {
  const read = readServiceDate(value)
  return read ? new Date(read.at).toISOString().slice(0, 10) : ''
}

/** Returns the list of mistakes for the top of a page, each linking to its control. */
export function mistakeSummary(mistakes: Mistake[]): Markup | undefined {
  if (mistakes.length === 0) return undefined
  const items = mistakes.map((mistake) => html`<li><a href="#${mistake.id}">${mistake.message}</a></li>`)
  const heading = mistakes.length === 1 ? 'One thing is missing' : `${mistakes.length} things are missing`
  return html`<div class="summary" role="alert" tabindex="-1" data-focus data-testid="mistakes"><h2>${heading}</h2><ul>${items}</ul></div>`
}
