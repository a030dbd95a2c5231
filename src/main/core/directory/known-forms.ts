/** The templates and forms that this office knows: those that the service lists, and those that were used from here. */
import type { KnownForm, TemplateView } from '../../../shared/contract/index.ts'
import { ListedTemplate } from '../../../shared/model/index.ts'
import { defined } from '../lib/objects.ts'
import { withOthers } from '../lib/other-members.ts'
import type { Db } from '../storage/connection.ts'

export interface KnownFormsDeps {
  db: Db
  /** The templates as last fetched. */
  templates: (accountId: string) => Promise<readonly TemplateView[]>
}

/** More than are shown, because the service may no longer have all of them. */
const MAX_RECENT = 20

const FORM =
  "coalesce(nullif(name, ''), reference) AS Name, reference AS Reference, form_type AS FormType, used_at AS usedAt"

export type KnownForms = ReturnType<typeof openKnownForms>

export function openKnownForms({ db, templates }: KnownFormsDeps) {
  /** Forms and templates of packages that the service accepted, counted by the database as they are sent. */
  const uses = db.prepare<[string], KnownForm>(`SELECT kind, ${FORM}, uses FROM form_uses WHERE account_id = ?`)
  const remembered = db.prepare<[string], KnownForm>(
    `SELECT 'form-direct' AS kind, ${FORM}, 0 AS uses FROM remembered_forms WHERE account_id = ?`
  )

  const recent = db
    .prepare<[string, number], string>(
      `SELECT reference FROM form_uses WHERE account_id = ? AND kind = 'form-filler'
       ORDER BY used_at DESC, name, reference LIMIT ?`
    )
    .pluck()

  return {
    /** References of the most recently sent templates, newest first. Works offline, because it asks no service. */
    recentTemplates: (accountId: string): string[] => recent.all(accountId, MAX_RECENT),

    /** Lists forms by last use, then those never used by name. */
    async list(accountId: string): Promise<KnownForm[]> {
      const known = new Map<string, KnownForm>()
      const put = (form: KnownForm) => {
        const key = JSON.stringify([form.kind, form.Reference, form.FormType ?? ''])
        const before = known.get(key)
        const usedAt = Math.max(before?.usedAt ?? 0, form.usedAt ?? 0)
        known.set(key, {
          ...before,
          ...form,
          Name: before?.Name || form.Name,
          uses: (before?.uses ?? 0) + form.uses,
          ...(usedAt > 0 && { usedAt })
        })
      }
      for (const template of await templates(accountId)) {
        const { Name, Reference, others } = withOthers(ListedTemplate, template)
        put({ kind: 'form-filler', Name: Name ?? Reference, Reference, uses: 0, ...defined({ others }) })
      }
      for (const form of [...remembered.all(accountId), ...uses.all(accountId)]) put(withType(form))
      return [...known.values()].sort(
        (one, other) => (other.usedAt ?? 0) - (one.usedAt ?? 0) || one.Name.localeCompare(other.Name)
      )
    }
  }
}

/** Only a form has a type. */
function withType({ FormType, ...form }: KnownForm): KnownForm {
  return form.kind === 'form-direct' && FormType ? { ...form, FormType } : form
}
