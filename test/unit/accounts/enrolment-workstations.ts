/** Computers that pass on an account by an enrolment file, each with a service of its own. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { enrolmentHandlers } from '../../../src/main/ipc/enrolment.ts'
import { ENROLMENT_CODE_BYTES, recoveryKeyText } from '../../../src/shared/recovery-key.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'
import { LOW_COST } from '../backup/computers.ts'
import { temporaryFolder } from '../storage/folders.ts'

export const TOKEN = 'planted-token-of-the-office'
export const BEARER = { scheme: 'bearer', token: TOKEN } as const
export const CODE = recoveryKeyText(new Uint8Array(ENROLMENT_CODE_BYTES).fill(7))
const asking = { from: 'office' as const, stillAsking: () => true }
export const NOW = 1_800_000_000_000

type Parts = Parameters<typeof enrolmentHandlers>[0]

export const urlOf = ({ accounts, accountId }: Workplace) => accounts.get(accountId).baseUrl ?? ''

/** Opens an administrator's computer and a clerk's. */
export async function enrolmentWorkstations() {
  const [admin, clerk] = [await openWorkplace(), await openWorkplace()]
  onTestFinished(async () => {
    await admin.close()
    await clerk.close()
  })
  const file = join(temporaryFolder(), 'Harbour.countersign-enrolment')

  /** Returns the request handlers of a computer; its dialogs always choose the file. */
  function computer({ accounts, clients }: Workplace, parts: Partial<Parts> = {}) {
    const notes: AuditNote[] = []
    const others: string[] = []
    let files = 0
    const handlers = enrolmentHandlers({
      accounts,
      clients,
      newId: () => `file-${++files}`,
      madeBy: 'Countersign 1.0.0',
      sealingCost: LOW_COST,
      time: { now: () => NOW, zone: () => 'UTC' },
      chooseFiles: async () => [file],
      chooseSaveFile: async () => file,
      note: (note) => void notes.push(note),
      mayAdd: () => undefined,
      mayComplete: () => undefined,
      credentialsChanged: (id) => void others.push(id),
      changed: () => undefined,
      ...parts
    })
    return {
      notes,
      others,
      prepare: (id: string, days = 14) => handlers['enrolment.prepare']({ id, code: CODE, days }, asking),
      choose: () => handlers['enrolment.choose'](undefined, asking),
      close: () => handlers['enrolment.close'](undefined, asking),
      enrol: async (code = CODE) => {
        const chosen = await handlers['enrolment.choose'](undefined, asking)
        return handlers['enrolment.enrol']({ id: chosen?.id ?? '', code }, asking)
      }
    }
  }

  /** Prepares the account on the administrator's computer, and its file. */
  async function prepared(name = 'Harbour') {
    const { accounts } = admin
    const { id } = await accounts.add({ kind: 'service', name, baseUrl: urlOf(admin), authentication: BEARER })
    await accounts.update(id, { folders: ['Eingang', 'Signed'] })
    accounts.mark(id, { colour: '#c2487a' })
    const adminComputer = computer(admin)
    return { id, adminComputer, answer: await adminComputer.prepare(id) }
  }

  return { admin, clerk, file, computer, prepared }
}
