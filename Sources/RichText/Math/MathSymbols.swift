/// The commands of the subset that stand for one sign each.
enum MathSymbols {
    /// Greek letters and other variables.
    static let letters: [String: String] = [
        "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ",
        "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
        "xi": "ξ", "omicron": "ο", "pi": "π", "varpi": "ϖ", "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "varsigma": "ς",
        "tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
        "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ",
        "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "ell": "ℓ", "hbar": "ℏ", "imath": "ı", "jmath": "ȷ", "Re": "ℜ",
        "Im": "ℑ", "aleph": "ℵ",
    ]

    /// Functions that are written upright.
    static let functions: Set<String> = [
        "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "coth", "exp",
        "ln", "lg", "log", "arg", "deg", "det", "dim", "ker", "gcd", "hom", "Pr", "tg", "ctg", "arctg", "arcctg",
    ]

    /// Functions whose condition stands below them when displayed.
    static let limits: Set<String> = ["lim", "max", "min", "sup", "inf", "limsup", "liminf", "argmax", "argmin"]

    static let symbols: [String: MathSymbol] = {
        var table: [String: MathSymbol] = [:]
        func add(_ form: MathSymbol.Form, _ pairs: [String: String]) {
            for (name, text) in pairs { table[name] = MathSymbol(text, form) }
        }
        add(
            .operation,
            [
                "pm": "±", "mp": "∓", "times": "×", "div": "÷", "cdot": "⋅", "ast": "∗", "star": "⋆", "circ": "∘",
                "bullet": "∙", "cap": "∩", "cup": "∪", "vee": "∨", "lor": "∨", "wedge": "∧", "land": "∧",
                "setminus": "∖", "oplus": "⊕", "ominus": "⊖", "otimes": "⊗", "odot": "⊙",
            ])
        add(
            .relation,
            [
                "le": "≤", "leq": "≤", "leqslant": "⩽", "ge": "≥", "geq": "≥", "geqslant": "⩾", "ne": "≠", "neq": "≠",
                "ll": "≪", "gg": "≫", "lt": "<", "gt": ">", "approx": "≈", "equiv": "≡", "sim": "∼", "simeq": "≃",
                "cong": "≅", "propto": "∝", "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "supset": "⊃",
                "subseteq": "⊆", "supseteq": "⊇", "parallel": "∥", "perp": "⊥", "mid": "∣", "to": "→",
                "rightarrow": "→", "leftarrow": "←", "gets": "←", "leftrightarrow": "↔", "Rightarrow": "⇒",
                "Leftarrow": "⇐", "Leftrightarrow": "⇔", "implies": "⟹", "iff": "⟺", "mapsto": "↦",
                "longrightarrow": "⟶", "rightleftharpoons": "⇌", "uparrow": "↑", "downarrow": "↓", "vdash": "⊢",
                "models": "⊨", "asymp": "≍", "doteq": "≐",
            ])
        add(.opening, ["langle": "⟨", "lfloor": "⌊", "lceil": "⌈", "lbrace": "{", "lbrack": "[", "lvert": "|"])
        add(.closing, ["rangle": "⟩", "rfloor": "⌋", "rceil": "⌉", "rbrace": "}", "rbrack": "]", "rvert": "|"])
        add(
            .ordinary,
            [
                "infty": "∞", "partial": "∂", "nabla": "∇", "forall": "∀", "exists": "∃", "nexists": "∄", "neg": "¬",
                "lnot": "¬", "emptyset": "∅", "varnothing": "∅", "angle": "∠", "triangle": "△", "degree": "°",
                "prime": "′", "ldots": "…", "dots": "…", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱", "top": "⊤",
                "bot": "⊥", "vert": "|", "Vert": "‖", "backslash": "\\", "therefore": "∴", "because": "∵",
                "checkmark": "✓", "dagger": "†", "square": "□",
            ])
        add(
            .large,
            [
                "sum": "∑", "prod": "∏", "coprod": "∐", "int": "∫", "iint": "∬", "iiint": "∭", "oint": "∮",
                "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁", "bigotimes": "⨂", "bigvee": "⋁", "bigwedge": "⋀",
            ])
        return table
    }()

    /// Integrals have their bounds beside them.
    static let integrals: Set<String> = ["∫", "∬", "∭", "∮"]

    /// Marks above an expression, and below it.
    static let accents: [String: (mark: String, isBelow: Bool)] = [
        "hat": ("^", false), "widehat": ("^", false), "bar": ("¯", false), "overline": ("¯", false),
        "vec": ("→", false), "overrightarrow": ("→", false), "dot": ("˙", false), "ddot": ("¨", false),
        "tilde": ("~", false), "widetilde": ("~", false), "underline": ("_", true), "overbrace": ("⏞", false),
        "underbrace": ("⏟", true),
    ]

    /// Spaces, in eighteenths of an em.
    static let spaces: [String: Int] = [
        ",": 3, ":": 4, ">": 4, ";": 5, "!": -3, " ": 6, "quad": 18, "qquad": 36,
    ]

    static let environments: [String: MathExpression.MatrixStyle] = [
        "matrix": .init(), "pmatrix": .init(opening: "(", closing: ")"),
        "bmatrix": .init(opening: "[", closing: "]"), "Bmatrix": .init(opening: "{", closing: "}"),
        "vmatrix": .init(opening: "|", closing: "|"), "Vmatrix": .init(opening: "‖", closing: "‖"),
        "cases": .init(opening: "{", isLeftAligned: true), "aligned": .init(isLeftAligned: true),
        "align": .init(isLeftAligned: true), "align*": .init(isLeftAligned: true),
        "gathered": .init(),
    ]

    /// A sign of the keyboard.
    static func sign(_ character: Character) -> MathSymbol? {
        switch character {
        case "+": MathSymbol("+", .operation)
        case "-": MathSymbol("−", .operation)
        case "*": MathSymbol("∗", .operation)
        case "/": MathSymbol("/", .operation)
        case "=", "<", ">", ":": MathSymbol(String(character), .relation)
        case "(", "[": MathSymbol(String(character), .opening)
        case ")", "]": MathSymbol(String(character), .closing)
        case "|", "!", "%", "°", "∞", "…": MathSymbol(String(character), .ordinary)
        case ",", ";", ".", "?": MathSymbol(String(character), .punctuation)
        default: unicodeSign(character)
        }
    }

    /// A sign that an author typed as it is: `≤`, `→`, `∑`.
    private static func unicodeSign(_ character: Character) -> MathSymbol? {
        guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1 else { return nil }
        guard scalar.properties.generalCategory == .mathSymbol || "·×÷±¬".unicodeScalars.contains(scalar) else {
            return nil
        }
        return byText[String(character)] ?? MathSymbol(String(character), .relation)
    }

    private static let byText: [String: MathSymbol] = {
        var table = Dictionary(symbols.values.map { ($0.text, $0) }) { first, _ in first }
        for sign in "·×÷±∓".map(String.init) { table[sign] = MathSymbol(sign, .operation) }
        return table
    }()

    /// The letter of another alphabet of mathematics: bold, or double-struck.
    static func letter(_ character: Character, in style: LetterStyle) -> String? {
        guard let byte = character.asciiValue else { return nil }
        let exceptions: [Character: String] = [
            "C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ",
        ]
        if style == .doubleStruck, let letter = exceptions[character] { return letter }
        let starts: (upper: UInt32, lower: UInt32, digit: UInt32) =
            style == .bold ? (0x1D400, 0x1D41A, 0x1D7CE) : (0x1D538, 0x1D552, 0x1D7D8)
        let value: UInt32? =
            switch byte {
            case 0x41...0x5A: starts.upper + UInt32(byte - 0x41)
            case 0x61...0x7A: starts.lower + UInt32(byte - 0x61)
            case 0x30...0x39: starts.digit + UInt32(byte - 0x30)
            default: nil
            }
        return value.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }

    enum LetterStyle {
        case bold
        case doubleStruck
    }
}
