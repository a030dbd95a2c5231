/**
 * Runs the application as an agent: without pages, a visible window, or a user to ask. It connects an account, joins an
 * office, and then works until it is stopped.
 */
import { readFile } from 'node:fs/promises'
import type { App } from './app.ts'
import { AppFailure } from './core/lib/failure.ts'
import type { AgentOrder } from './core/office/agent-order.ts'
import { enrolmentHandlers } from './ipc/enrolment.ts'
import { mayComplete, mayEnrol } from './ipc/organisation.ts'
import type { Lifecycle } from './lifecycle.ts'

/**
 * Carries out an administrator's order.
 * @param code from the enrolment file or for joining.
 * @returns a message to print once the order is done; undefined for `run`, which goes on until the application ends.
 * @throws AppFailure as for connecting an account and joining; `not-allowed` if joining or leaving and a staff PIN is
 * set; `storage` if the database isn't encrypted on disk, since nothing would be kept and so nothing may be sent.
 */
export async function runAgentOrder(
  order: AgentOrder,
  { parts, lifecycle, code }: { parts: App; lifecycle: Lifecycle; code: string }
): Promise<string | undefined> {
  const { composing, counter, foundation } = parts
  const { membership } = composing
  const { note } = counter.audit
  mustBePersistent(foundation)
  switch (order.do) {
    case 'run':
      lifecycle.startHeadless()
      return undefined
    case 'enrol': {
      const { accounts, clients, newId, organisation, signals, time } = foundation
      const handlers = enrolmentHandlers({
        accounts,
        clients,
        newId,
        note,
        time,
        // Agents don't write enrolment files.
        madeBy: '',
        chooseFiles: async () => [order.file],
        chooseSaveFile: async () => undefined,
        mayAdd: (account) => mayEnrol(account, { organisation, accounts }),
        mayComplete: (account) => mayComplete(account, foundation),
        credentialsChanged: clients.forget,
        changed: () => signals.emit('accounts')
      })
      const context = { from: 'office', stillAsking: () => true } as const
      const file = await handlers['enrolment.choose'](undefined, context)
      const { name } = await handlers['enrolment.enrol']({ id: file?.id ?? '', code }, context)
      return `The account “${name}” is connected.`
    }
    case 'join': {
      // Agent orders mustn't bypass the staff PIN of a computer that is also a counter.
      await counter.access.mustBeOpen()
      const ca = order.ca === undefined ? undefined : await readFile(order.ca, 'utf8')
      const view = await membership.join({ ...order.server, ca }, code)
      note({ what: 'office-joined', detail: { server: view.server, ...(view.name && { name: view.name }) } })
      return `Joined the office at ${view.server}${view.name ? ` as “${view.name}”` : ''}.`
    }
    case 'leave': {
      await counter.access.mustBeOpen()
      membership.start()
      await membership.checkNow()
      const before = membership.view()
      await membership.leave()
      if (before) note({ what: 'office-left', detail: { server: before.server } })
      return before ? `Left the office at ${before.server}.` : 'It belongs to no office.'
    }
  }
}

function mustBePersistent({ keychainState, storage }: App['foundation']): void {
  if (storage.state === 'encrypted') return
  const keychain = keychainState()
  const because = keychain.state === 'available' ? storage.because : `the keychain: ${keychain.detail}`
  throw new AppFailure({ code: 'storage', message: `What it has can’t be opened: ${because}` })
}
