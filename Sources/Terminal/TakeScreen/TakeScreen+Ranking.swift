import Model

// Rankings: the options with a place stand first, in their order; the others follow.

extension TakeScreen {
    var ranking: Question.Ranking {
        guard let question else { return .init(places: [], rest: [], own: []) }
        return question.ranking(of: record.answer(to: question.id))
    }

    /// The options by their indexes, as they stand on the screen.
    var rankedOptions: [Int] {
        let ranking = ranking
        return ranking.places + ranking.rest
    }

    /// Keys of a ranking; `nil` for one that means here what it means in a list of options.
    mutating func actInRanking(on key: Key) -> [Effect]? {
        switch key {
        case .up where isMoving: return moveOption(to: highlight - 1)
        case .down where isMoving: return moveOption(to: highlight + 1)
        case .home where isMoving: return moveOption(to: 0)
        case .end where isMoving: return moveOption(to: ranking.places.count - 1)
        case .enter where isMoving, .escape where isMoving:
            isMoving = false
            return []
        case .enter: return focusIsVisible ? goForward() : nil
        case .character(" "):
            guard focusIsVisible else { return nil }
            return pickOrPlace()
        case .backspace, .delete: return removePlace()
        default:
            if !isSteady(key) { isMoving = false }
            return nil
        }
    }

    /// Keys that only look around.
    private func isSteady(_ key: Key) -> Bool { key == .control("l") || key == .control("z") }

    /// An option without a place gets the next one; one with a place is picked up, or put down.
    private mutating func pickOrPlace() -> [Effect] {
        let ranking = ranking
        guard highlight >= ranking.places.count else {
            isMoving.toggle()
            return []
        }
        let option = ranking.rest[highlight - ranking.places.count]
        setRanking(ranking.places + [option])
        // The person goes through the others in turn.
        highlight = min(max(highlight, ranking.places.count + 1), max(0, rankedOptions.count - 1))
        reveal()
        return [.save]
    }

    /// Gives the highlighted option a place among those that have one.
    mutating func place(at index: Int) {
        let ranking = ranking
        let all = ranking.places + ranking.rest
        guard all.indices.contains(highlight) else { return }
        var places = ranking.places.filter { $0 != all[highlight] }
        let target = min(max(0, index), places.count)
        places.insert(all[highlight], at: target)
        setRanking(places)
        highlight = target
        reveal()
    }

    private mutating func moveOption(to index: Int) -> [Effect] {
        guard ranking.places.indices.contains(index) else { return [.bell] }
        place(at: index)
        return [.save]
    }

    private mutating func removePlace() -> [Effect] {
        isMoving = false
        let ranking = ranking
        guard ranking.places.indices.contains(highlight) else { return [.bell] }
        var places = ranking.places
        let option = places.remove(at: highlight)
        setRanking(places)
        highlight = rankedOptions.firstIndex(of: option) ?? 0
        reveal()
        return [.save]
    }

    private mutating func setRanking(_ places: [Int]) {
        guard let question else { return }
        putActive(question.answer(ranking: places))
    }
}
