import { expect, test } from 'vitest'
import { openLastPlaceStore } from '../../../src/main/core/accounts/last-place.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'

test('the last place is stored for each account; if the database can’t store it, the next start begins at the Overview', () => {
  const db = connectInMemory()
  migrate(db)
  let chosen: string | undefined = 'a'
  const place = openLastPlaceStore(db, () => chosen)
  expect(place.read()).toBe('')
  place.save('#/compose/draft-1')
  chosen = 'b'
  expect(place.read()).toBe('')
  place.save('#/settings')
  chosen = 'a'
  expect(place.read()).toBe('#/compose/draft-1')
  chosen = undefined
  place.save('#/drafts')
  expect(place.read()).toBe('')
  chosen = 'a'
  db.close()
  expect([place.read(), place.save('#/drafts')]).toEqual(['', undefined])
})
