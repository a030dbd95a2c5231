/** What a person is asked before the application ends while packages have not left, or what became of them isn't known. */

export interface Pending {
  /** Packages in the outbox that have not left. */
  ready: number
  /** Packages of which it isn't known whether they arrived. */
  uncertain: number
  /** Batches that are still being written into the outbox. */
  preparing: number
  /** Extensions and corrections that wait for a connection. */
  actions: number
  /** Someone signs on the second display. */
  isSigning: boolean
}

export interface LeavingQuestion {
  message: string
  detail: string
  stay: string
  leave: string
}

/**
 * The question, or undefined if nobody needs to be asked.
 * @param storage whether what is kept outlives the application.
 */
export function questionOnLeaving(pending: Pending, storage: 'encrypted' | 'memory'): LeavingQuestion | undefined {
  const { ready, uncertain, preparing, actions, isSigning } = pending
  if (isSigning) {
    return {
      message: 'Someone is signing on the second display.',
      detail:
        'Their page would be closed. What they have filled in but not sent is lost, and they can begin again later.',
      stay: 'Stay',
      leave: 'Quit and close their page'
    }
  }
  if (storage === 'memory' && ready + uncertain + preparing > 0) {
    return {
      message: `${packages(ready + uncertain)} in the Outbox would be lost.`,
      detail:
        'Nothing can be kept on this computer just now, so what has not left would not be sent, and what is in doubt could not be settled any more.',
      stay: 'Stay',
      leave: 'Quit and lose them'
    }
  }
  if (preparing > 0) {
    return {
      message: 'A batch is still being put in the Outbox.',
      detail: 'If you quit now, nothing of it is sent, and you would have to start it again.',
      stay: 'Stay',
      leave: 'Quit without it'
    }
  }
  if (ready === 0) return actions === 0 ? undefined : aboutActions(actions, storage)
  return {
    message: `${packages(ready)} in the Outbox ${ready === 1 ? 'has' : 'have'} not left yet.`,
    detail: `Nothing is lost: ${ready === 1 ? 'it goes' : 'they go'} when Countersign is opened again, and not before.`,
    stay: 'Stay',
    leave: 'Quit'
  }
}

function aboutActions(count: number, storage: 'encrypted' | 'memory'): LeavingQuestion {
  const changes =
    count === 1 ? '1 change to a document waits' : `${count.toLocaleString('en-GB')} changes to documents wait`
  return {
    message: `${changes} for the connection.`,
    detail:
      storage === 'memory'
        ? 'Nothing can be kept on this computer just now, so it would be lost.'
        : 'Nothing is lost: it is made when Countersign is opened again and online, and not before.',
    stay: 'Stay',
    leave: storage === 'memory' ? 'Quit and lose it' : 'Quit'
  }
}

function packages(count: number): string {
  return count === 1 ? '1 package' : `${count.toLocaleString('en-GB')} packages`
}
