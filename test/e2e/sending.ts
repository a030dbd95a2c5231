/** Packages for the counter, sent through our page's own client; other specs compose them on the screens. */

import type { Composition } from '../../src/shared/composition/index.ts'
import { form, forms, signer, template, templates } from '../fixtures/compositions.ts'
import type { Clerk, Person } from './clerk.ts'
import { PIN } from './person.ts'

/** Returns one form for each document, each to be signed here by everybody, in any order. */
export function formsFor(documents: readonly string[], people: readonly Person[]): Composition {
  const items = documents.map((Name, index) =>
    form({ key: `f${index}`, Name, Reference: `FORM-${index + 1}`, signers: people.map(composed) })
  )
  return forms({ embedded: true, items })
}

/** Returns one document, to be signed here by one person after another. */
export function inOrder(document: string, people: readonly Person[]): Composition {
  const items = [template({ Name: document, Reference: 'DEED-1', signers: people.map(composed) })]
  return templates({ embedded: true, Sequential: true, items })
}

function composed({ first, last, email, faceToFace, identity, video }: Person, index: number) {
  return signer({
    key: `s${index}`,
    FirstName: first,
    LastName: last,
    Email: email,
    faceToFace: faceToFace ?? false,
    video: video !== undefined,
    deepfakeDetector: video === 'with a detector',
    ...(identity && {
      UseIDData: true,
      IDData: [{ key: 'q1', Label: identity.question, Value: identity.answer, DataType: 'text' as const }]
    })
  })
}

/**
 * Sends a package now, and waits until the first signer of each document is in the queue. Returns the documents'
 * references by name.
 */
export async function send({ window: page }: Clerk, composition: Composition): Promise<Map<string, string>> {
  const names = composition.items.map(({ Name }) => Name)
  const found = await page.evaluate(
    async ({ composition, names }) => {
      const { counter, drafts, sends } = window.countersign
      const saved = await drafts.save({ composition })
      if (!saved.ok) throw new Error(saved.error.message)
      const started = await sends.start({ draftId: saved.value.id })
      if (!started.ok) throw new Error(started.error.message)
      await sends.now({ id: started.value.id })
      for (;;) {
        const queue = await counter.queue()
        const entries = queue.ok ? queue.value.filter(({ documentName }) => names.includes(documentName)) : []
        const references = Object.fromEntries(entries.map((entry) => [entry.documentName, entry.documentReference]))
        if (names.every((name) => references[name])) return references
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    { composition, names }
  )
  return new Map(Object.entries(found))
}

/** Signs as on another device: the service has the signature, and no page here knows of it. */
export async function signElsewhere(signingLink: string, name: string): Promise<void> {
  const body = new URLSearchParams({ 'signature-kind': 'typed', 'signature-name': name, agree: 'true' })
  const answer = await fetch(`${signingLink.replace(/\/document$/, '')}/document`, {
    method: 'POST',
    body,
    redirect: 'manual'
  })
  if (answer.status !== 302) throw new Error(`The practice service answered ${answer.status}.`)
}

type Settings = Parameters<Window['countersign']['counter']['configure']>[0]

/** Changes the counter's settings as the office would, unlocking them with the PIN if there is one. */
export async function configureCounter({ window: page }: Clerk, settings: Settings): Promise<void> {
  await page.evaluate(
    async ([settings, pin]) => {
      const { counter } = window.countersign
      const staff = await counter.staffList()
      if (staff.ok && staff.value.settings === 'locked') await counter.openSettings({ pin })
      const changed = await counter.configure(settings)
      if (!changed.ok) throw new Error(changed.error.message)
    },
    [settings, PIN] as const
  )
}

/** Returns the newest session's entries in the audit trail, oldest first, and the result of checking the trail. */
export async function auditOf({ window: page }: Clerk) {
  return page.evaluate(async () => {
    const { audit } = window.countersign
    const [list, check] = await Promise.all([audit.list({ search: '', offset: 0, limit: 100 }), audit.check()])
    if (!list.ok || !check.ok) throw new Error('The audit trail could not be read.')
    const newest = list.value.entries.find(({ session }) => session !== undefined)?.session
    const entries = list.value.entries.filter(({ session }) => session === newest).toReversed()
    return { entries, check: check.value }
  })
}

/** Returns what happened in the newest session, one word each. */
export async function happened(clerk: Clerk): Promise<string[]> {
  return (await auditOf(clerk)).entries.map(({ what }) => what)
}
