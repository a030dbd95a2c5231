/** Work on one thing at a time: what comes for the same key waits for what came before it. */

const last = new Map<string, Promise<unknown>>()

/** @throws what the work throws; the next one has its turn all the same. */
export async function inTurn<Answer>(key: string, work: () => Promise<Answer>): Promise<Answer> {
  const before = last.get(key) ?? Promise.resolve()
  const mine = before.then(work, work)
  last.set(key, mine)
  try {
    return await mine
  } finally {
    if (last.get(key) === mine) last.delete(key)
  }
}
