/**
 * Values that this office has used before, for suggestions: the fields of shared/composition/composition.ts that hold
 * no personal data, the choices of templates, and forms. Nothing that identifies a person is ever kept here.
 */

import {
  type Composition,
  MAX_VALUE_LENGTH,
  MAX_VALUES,
  type RememberedField,
  rememberedChoice
} from '../../../shared/composition/index.ts'
import type { RememberedForm } from '../../../shared/contract/index.ts'
import { Statements } from '../storage/statements.ts'
import type { DraftDeps } from './draft-rows.ts'

/** How many forms are offered. */
export const MAX_FORMS = 200

export type Remembered = ReturnType<typeof openRemembered>

export function openRemembered({ db, time }: Omit<DraftDeps, 'newId'>) {
  const statements = new Statements(db)
  const values = statements.values<[accountId: string, field: string], string>(
    `SELECT value FROM remembered WHERE account_id = ? AND field = ?
     ORDER BY position IS NULL, position, used_at DESC, value`
  )
  const keep = statements.run<[accountId: string, field: string, value: string, now: number]>(
    `INSERT INTO remembered (account_id, field, value, used_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id, field, value) DO UPDATE SET used_at = excluded.used_at`
  )
  const drop = statements.run<[accountId: string, field: string, value: string]>(
    'DELETE FROM remembered WHERE account_id = ? AND field = ? AND value = ?'
  )
  const dropAll = statements.run<[accountId: string, field: string]>(
    'DELETE FROM remembered WHERE account_id = ? AND field = ?'
  )
  const putAt = statements.run<[accountId: string, field: string, value: string, now: number, position: number]>(
    `INSERT INTO remembered (account_id, field, value, used_at, position) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (account_id, field, value) DO NOTHING`
  )
  const forms = db.prepare<[string], RememberedForm>(
    `SELECT name AS Name, reference AS Reference, form_type AS FormType FROM remembered_forms WHERE account_id = ?
     ORDER BY used_at DESC, name, reference, form_type`
  )
  const keepForm = statements.run<[form: object]>(
    `INSERT INTO remembered_forms (account_id, name, reference, form_type, used_at)
     VALUES (@accountId, @Name, @Reference, @FormType, @now)
     ON CONFLICT (account_id, reference, form_type, name) DO UPDATE SET used_at = excluded.used_at`
  )
  const dropForm = statements.run<[form: object]>(
    `DELETE FROM remembered_forms
     WHERE account_id = @accountId AND name = @Name AND reference = @Reference AND form_type = @FormType`
  )

  return {
    /** Remembers the values of a package. Called when it is put in the outbox. */
    note: db.transaction((accountId: string, composition: Composition): void => {
      const now = time.now()
      const used = valuesOf(composition)
      for (const { field, value } of used) keep(accountId, field, value, now)
      for (const field of new Set(used.map((one) => one.field))) {
        for (const value of values(accountId, field).slice(MAX_VALUES)) drop(accountId, field, value)
      }
      const usedForms = formsOf(composition)
      for (const form of usedForms) keepForm({ ...form, accountId, now })
      if (usedForms.length === 0) return
      for (const form of forms.all(accountId).slice(MAX_FORMS)) dropForm({ ...form, accountId })
    }),

    /**
     * Replaces the choices of a template's field with the office's list, in its order; those not in it are forgotten.
     * Choices sent later come after them.
     * @param field the result of `rememberedChoice`.
     */
    keepChoices: db.transaction((accountId: string, field: string, choices: readonly string[]): string[] => {
      const now = time.now()
      dropAll(accountId, field)
      const kept = choices.map((choice) => choice.trim()).filter((choice) => choice !== '')
      for (const [position, choice] of kept.entries()) putAt(accountId, field, choice, now, position)
      return values(accountId, field)
    }),

    /**
     * Returns the values: those that the office has ordered, then the newest first.
     * @param field one of `REMEMBERED_FIELDS`, or the result of `rememberedChoice`.
     */
    values,

    /** Newest first. */
    forms: (accountId: string): RememberedForm[] => forms.all(accountId)
  }
}

interface UsedValue {
  field: string
  value: string
}

function valuesOf(composition: Composition): UsedValue[] {
  const used = composition.kind === 'form-direct' ? ofForms(composition) : ofTemplates(composition)
  const settings = [composition, ...composition.items.flatMap((item) => item.own ?? [])]
  return [
    ...used,
    ...settings.flatMap((of) => [usedValue('ReturnUrl', of.ReturnUrl), usedValue('NotifyUrl', of.NotifyUrl)])
  ]
    .map((one) => ({ field: one.field, value: one.value.trim() }))
    .filter((one) => one.value !== '' && one.value.length <= MAX_VALUE_LENGTH)
}

function ofForms({ items, InvitationEmailTemplateReference }: Composition): UsedValue[] {
  const signers = items.flatMap((item) => item.signers)
  const questions = signers.flatMap((signer) => (signer.UseIDData ? signer.IDData : []))
  return [
    ...signers.map((signer) => usedValue('SignerType', signer.SignerType)),
    ...items.map((item) => usedValue('EmployerReference', item.EmployerReference)),
    usedValue('InvitationEmailTemplateReference', InvitationEmailTemplateReference),
    // A question may be asked again; its answer is the signer's own.
    ...questions.map((question) => usedValue('IDData.Label', question.Label))
  ]
}

function ofTemplates({ items }: Composition): UsedValue[] {
  return items.flatMap((item) =>
    item.fields
      .filter(({ FieldType }) => FieldType === 'DropDownList' || FieldType === 'RadioButton')
      .map((field) => ({ field: rememberedChoice(item.Reference, field.Reference), value: field.Value }))
  )
}

function usedValue(field: RememberedField, text: string): UsedValue {
  return { field, value: text }
}

function formsOf({ kind, items }: Composition): RememberedForm[] {
  if (kind !== 'form-direct') return []
  return items
    .map(({ Name, Reference, FormType }) => ({
      Name: Name.trim(),
      Reference: Reference.trim(),
      FormType: FormType.trim()
    }))
    .filter(({ Reference }) => Reference !== '')
}
