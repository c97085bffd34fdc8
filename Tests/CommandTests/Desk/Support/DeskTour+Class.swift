extension DeskTour {
    /// A class that took an exam, in one language.
    struct Class {
        var people: [String]
        var answers: [(planet: String, moons: [String], why: String)]
        var exam: String
        /// Another questionnaire, with questions on the same.
        var other: String
        var comment: String
        var toCorrect: String
        var teacher: String
    }

    static let english = Class(
        people: [
            "Ada Byron", "Boris Petrov", "Clara Schumann", "Dmitri Ivanov", "Emmy Noether", "Farid Aliev", "Gauri Rao",
        ],
        answers: [
            ("Jupiter", ["Europa", "Io"], "The Earth turns around itself once a day."),
            ("Saturn", ["Europa"], "Because the Sun goes around the Earth."),
            ("Jupiter", ["Europa", "Io"], "It turns."),
            ("Jupiter", ["Io", "Titan"], "We turn away from the Sun."),
            ("Mars", ["Titan"], "I do not know."),
            ("Jupiter", ["Europa", "Io"], "One side of the Earth is always in its own shadow."),
        ],
        exam: """
            {"id": "sky", "title": "Sky and planets", "locale": "en", "description": "Ten minutes, without a book.",
             "availability": {"closesAt": "2099-06-30T18:00:00Z", "late": "mark", "attempts": 2},
             "answerKey": {"largest": "Jupiter", "light": 8}, "multiAnswerKey": {"moons": ["Europa", "Io"]},
             "sections": [{"id": "s1", "title": "The planets", "questions": ["largest", "moons"]},
              {"id": "s2", "title": "The Earth", "text": "Think of the globe in the corridor.", "questions": ["light", "why"]}],
             "questions": [
              {"id": "largest", "text": "Which planet is the largest?", "options": ["Mars", "Jupiter", "Saturn"]},
              {"id": "moons", "text": "Which are moons of Jupiter?", "kind": "choices", "options": ["Europa", "Io", "Titan"], "points": 2},
              {"id": "light", "text": "How many minutes does light need from the Sun to the Earth?", "kind": "number"},
              {"id": "why", "text": "Why is there day and night?", "kind": "text", "points": 3, "hint": "One sentence is enough."}]}
            """,
        other: """
            {"id": "rings", "title": "Planets, for practice", "locale": "en", "answerKey": {"rings": "Saturn", "red": "Mars"}, "questions": [
              {"id": "rings", "text": "Which planet has the widest rings?", "options": ["Saturn", "Earth"]},
              {"id": "red", "text": "Which planet is red?", "options": ["Venus", "Mars", "Neptune"]}]}
            """,
        comment: "Right, and well said.", toCorrect: "Look at the globe once more: what moves?", teacher: "Ms Lovelace")

    static let russian = Class(
        people: [
            "Анна Белова", "Борис Петров", "Вера Ильина", "Глеб Орлов", "Дина Алиева", "Егор Козлов", "Жанна Ким",
        ],
        answers: [
            ("Юпитер", ["Европа", "Ио"], "Земля за сутки оборачивается вокруг своей оси."),
            ("Сатурн", ["Европа"], "Потому что Солнце ходит вокруг Земли."),
            ("Юпитер", ["Европа", "Ио"], "Она вращается."),
            ("Юпитер", ["Ио", "Титан"], "Мы отворачиваемся от Солнца."),
            ("Марс", ["Титан"], "Не знаю."),
            ("Юпитер", ["Европа", "Ио"], "Одна сторона Земли всегда в своей тени."),
        ],
        exam: """
            {"id": "sky", "title": "Небо и планеты", "locale": "ru", "description": "Десять минут, без учебника.",
             "availability": {"closesAt": "2099-06-30T18:00:00Z", "late": "mark", "attempts": 2},
             "answerKey": {"largest": "Юпитер", "light": 8}, "multiAnswerKey": {"moons": ["Европа", "Ио"]},
             "sections": [{"id": "s1", "title": "Планеты", "questions": ["largest", "moons"]},
              {"id": "s2", "title": "Земля", "text": "Вспомните глобус в коридоре.", "questions": ["light", "why"]}],
             "questions": [
              {"id": "largest", "text": "Какая планета самая большая?", "options": ["Марс", "Юпитер", "Сатурн"]},
              {"id": "moons", "text": "Что из этого — спутники Юпитера?", "kind": "choices", "options": ["Европа", "Ио", "Титан"], "points": 2},
              {"id": "light", "text": "Сколько минут свет идёт от Солнца до Земли?", "kind": "number"},
              {"id": "why", "text": "Почему бывают день и ночь?", "kind": "text", "points": 3, "hint": "Достаточно одной фразы."}]}
            """,
        other: """
            {"id": "rings", "title": "Планеты, тренировка", "locale": "ru", "answerKey": {"rings": "Сатурн", "red": "Марс"}, "questions": [
              {"id": "rings", "text": "У какой планеты самые широкие кольца?", "options": ["Сатурн", "Земля"]},
              {"id": "red", "text": "Какая планета красная?", "options": ["Венера", "Марс", "Нептун"]}]}
            """,
        comment: "Верно и хорошо сказано.", toCorrect: "Посмотрите на глобус ещё раз: что движется?",
        teacher: "Анна Сергеевна")
}
