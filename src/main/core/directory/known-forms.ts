/** The templates and forms that this office knows: those that the service lists and those that were used from here. */
import type { KnownForm, TemplateView } from '../../../shared/contract/index.ts'
import type { Db } from '../storage/connection.ts'

export interface KnownFormsDeps {
  db: Db
  /** The templates as they were fetched last. */
  templates: (accountId: string) => Promise<readonly TemplateView[]>
}

/** A form or template of packages that the service took: counted by the database as they are sent (see form_uses). */
interface Use {
  kind: KnownForm['kind']
  name: string
  reference: string
  form_type: string
  used_at: number
  uses: number
}

export type KnownForms = ReturnType<typeof openKnownForms>

export function openKnownForms({ db, templates }: KnownFormsDeps) {
  const uses = db.prepare<[string], Use>(
    'SELECT kind, name, reference, form_type, used_at, uses FROM form_uses WHERE account_id = ?'
  )
  const remembered = db.prepare<[string], Omit<Use, 'kind' | 'uses'>>(
    'SELECT name, reference, form_type, used_at FROM remembered_forms WHERE account_id = ?'
  )

  return {
    /** The last used first, then those never used, by name. */
    async list(accountId: string): Promise<KnownForm[]> {
      const known = new Map<string, KnownForm>()
      const put = (form: KnownForm) => {
        const key = JSON.stringify([form.kind, form.Reference, form.FormType ?? ''])
        const before = known.get(key)
        const usedAt = Math.max(before?.usedAt ?? 0, form.usedAt ?? 0)
        known.set(key, {
          ...form,
          Name: before?.Name || form.Name,
          uses: (before?.uses ?? 0) + form.uses,
          ...(usedAt > 0 && { usedAt })
        })
      }
      for (const { Name, Reference } of await templates(accountId)) {
        put({ kind: 'form-filler', Name: Name ?? Reference, Reference, uses: 0 })
      }
      for (const form of remembered.all(accountId)) put(formOf({ ...form, kind: 'form-direct', uses: 0 }))
      for (const form of uses.all(accountId)) put(formOf(form))
      return [...known.values()].sort(
        (one, other) => (other.usedAt ?? 0) - (one.usedAt ?? 0) || one.Name.localeCompare(other.Name)
      )
    }
  }
}

function formOf({ kind, name, reference, form_type, used_at, uses }: Use): KnownForm {
  const isForm = kind === 'form-direct' && form_type !== ''
  return {
    kind,
    Name: name || reference,
    Reference: reference,
    ...(isForm && { FormType: form_type }),
    usedAt: used_at,
    uses
  }
}
